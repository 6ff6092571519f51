// Package page writes the results of a run as one page of HTML that can be sent
// and kept: it has its style and script in it, loads nothing, and its policy
// forbids that anything else runs. What samples and judges wrote is text in it,
// whatever it is. The numbers of its tables are there for printing, too.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// Options say what a page has besides the records. The zero value is a page of the
// records alone.
type Options struct {
	Source  string   // where the records are from, for the heading
	Notes   []string // what readers have to know of the results: that they are not complete
	Samples []ragtest.Sample

	// What the records are compared with, if anything: a baseline, or the records of an
	// earlier run.
	Baseline *ragtest.Baseline
	Before   []ragtest.Record
	// Smallest is the smallest difference that matters, see [ragtest.Compare]. 0 means
	// 0.05.
	Smallest float64

	Calibrations []*ragtest.Calibration
	Thresholds   ragtest.Thresholds // below which a score is low; none, no diagnosis
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"text": shown, "score": digits2, "exact": digits3, "signed": signed, "words": func(metric string) []string { return strings.Split(metric, "_") }, "fault": faultName,
	}).Parse(pageHTML))
)

// Write writes the page of records, in the order that [ragtest.ReadResults] has
// them. It is an error if there are none, and if w fails.
func Write(w io.Writer, records []ragtest.Record, o Options) error {
	v, err := newView(records, o)
	if err != nil {
		return err
	}
	return page.Execute(w, v)
}

// policy lets the page's own style and script be used, which are told by their
// digests, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(pageCSS), digest(pageJS))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
