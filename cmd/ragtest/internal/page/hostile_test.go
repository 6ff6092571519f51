package page_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// attacks are texts that a page might run, load, or be misled by. What they would
// do shows in the title or the class of the page.
var attacks = []string{
	`<script>document.title="owned"</script>`,
	`</script><script>document.title="owned"</script>`,
	`</style><script>document.title="owned"</script>`,
	`</title></textarea></select><script>document.title="owned"</script>`,
	`"><img src=x onerror="document.title='owned'">`,
	`' onfocus='document.title="owned"' autofocus='`,
	`<svg/onload=document.title='owned'>`,
	`<a href="javascript:document.title='owned'">here</a>`,
	`javascript:document.title="owned"`,
	`<iframe srcdoc="<script>parent.document.title='owned'</script>"></iframe>`,
	`<meta http-equiv="refresh" content="0;url=data:text/html,owned">`,
	`<base href="https://example.invalid/">`,
	`<style>body{display:none}</style>`,
	`<form action="https://example.invalid/"><button>`,
	"--><!-- {{.}} ${document.title='owned'} `",
	"line\u2028separator\u2029paragraph",
	"\u202Eesrever \u2066isolated",
	"null\x00 bell\x07 escape\x1b[31m",
	`&lt;script&gt;document.title="owned"&lt;/script&gt;`,
}

// hostile puts every text in every place that a page shows, and one of a million
// letters.
func hostile() ([]ragtest.Record, page.Options) {
	var records []ragtest.Record
	o := page.Options{
		Source: attacks[0], Notes: attacks,
		Thresholds: ragtest.Thresholds{Faithfulness: 0.8, AnswerRelevance: 0.7, ContextRecall: 0.8},
	}
	long := strings.Repeat("<b>a long text</b> ", 55_000)
	for i, x := range append([]string{long}, attacks...) {
		name := x
		if i == 0 {
			name = "long"
		}
		verdicts := []ragtest.Verdict{{Claim: x, Part: x, Reason: x, Quote: x, P: 0.5}, {Claim: "It is " + x, OK: true, Reason: x}}
		for _, r := range []ragtest.Record{
			record(name, "faithfulness", 0.5, verdicts...), record(name, "answer_relevance", 0.5, verdicts...),
			record(name, "metric "+name, 0.2, verdicts...), unmeasured(name, "context_recall", name, x),
		} {
			r.Tags, r.Package, r.Test, r.At, r.Model, r.Identity = []string{name, "tag"}, name, name, name, "m "+attacks[0], "e "+attacks[4]
			if r.Metric == "metric "+name { // computed
				r.Model, r.Identity, r.Exchanges = "", "", nil
			}
			records = append(records, r)
		}
		o.Samples = append(o.Samples, ragtest.Sample{
			Name: name, UserInput: x, Response: x, Reference: x,
			RetrievedContexts: []string{x, x}, RetrievedContextIDs: ragtest.IDs{x, "b"},
			ReferenceContextIDs: ragtest.IDs{x, "c " + x}, ReferenceContextGrades: []int{1, 2},
			Messages: []ragtest.Message{{Role: x, Content: x}},
		})
		c := &ragtest.Calibration{Metric: "faithfulness " + name, Step: "verify/v2 " + name, Model: "m " + name, Identity: x, Scale: []float64{0, 1}}
		for k := range 4 {
			c.Items = append(c.Items, ragtest.Judged{Sample: x, Claim: x, Reason: x, Group: k, Labels: []ragtest.Label{{Value: float64(k % 2)}}, Judge: 1})
		}
		o.Calibrations = append(o.Calibrations, c)
	}
	before := make([]ragtest.Record, len(records))
	for i, r := range records {
		before[i] = r
		if r.Score != nil {
			one := 1.0
			before[i].Score = &one
		}
	}
	o.Before = before
	return records, o
}

// Whatever samples and judges write, the page has the elements and attributes of its
// own and no others.
func TestHostileTextIsText(t *testing.T) {
	g := NewWithT(t)
	records, o := hostile()
	text := written(t, records, o)
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false)) // noscript has elements
	g.Expect(err).NotTo(HaveOccurred())
	elements := map[string]int{}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("the page has a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		elements[n.Data]++
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src", a.Key == "srcdoc", a.Key == "action":
				t.Errorf("<%s> has an attribute %s", n.Data, a.Key)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("a link leads to %q, expected one within the page", a.Val)
			}
		}
	}
	g.Expect(elements["script"]).To(Equal(1))
	g.Expect(elements["style"]).To(Equal(1))
	g.Expect(elements["meta"]).To(Equal(5))
	for _, no := range []string{"img", "iframe", "base", "object", "embed", "link", "textarea"} {
		g.Expect(elements).NotTo(HaveKey(no))
	}
	for _, hidden := range []string{"\u202E", "\u2066", "\u2028", "\u2029", "\x00", "\x07", "\x1b"} {
		g.Expect(text).NotTo(ContainSubstring(hidden))
	}
	g.Expect(html.UnescapeString(text)).To(ContainSubstring("[U+202E]esrever [U+2066]isolated"))
	g.Expect(text).To(ContainSubstring("more bytes are left out]"))
}
