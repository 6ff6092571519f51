package ragtest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// askFor asks for an R about data, through the judge of l.
func askFor[R any](l *lab, data any) (R, error) {
	var got R
	_, err := l.measure(l.Judge.Judge(), ragtest.NewMetric("custom", func(c ctx, j *ragtest.Judge, _ ragtest.Sample) (ragtest.Score, error) {
		r, err := ragtest.Ask[R](c, j, ragtest.Prompt{Name: "custom/v1", Text: "You fill in a form."}, data)
		got = r
		return ragtest.Score{}, err
	}), bridge)
	return got, err
}

// Fields are asked for in the order of the struct, whatever they are made of.
func TestFormOfAReply(t *testing.T) {
	type finding struct {
		Reason string
		Score  float64 `json:"score"`
		Tags   []string
	}
	type report struct {
		Zeta     string     `json:"zeta,omitempty"`
		Alpha    int8       `json:"alpha"`
		Ignored  chan int   `json:"-"`
		Findings []finding  `json:"findings"`
		Grid     [][]uint32 `json:"grid"`
		Last     struct {
			OK bool `json:"ok"`
		} `json:"last"`
	}
	g := NewWithT(t)
	l := newLab(t)
	l.On("custom", fixtures.Text(`{"alpha":-3,"extra":null,"zeta":"z","last":{"ok":true},"grid":[[1,2],[]],"findings":[{"Reason":"r","score":0.25,"Tags":[]},{"Reason":"","score":3,"Tags":["a","b"]}]}`))
	got, err := askFor[report](l, nil)
	g.Expect(err).NotTo(HaveOccurred())
	want := report{Zeta: "z", Alpha: -3, Findings: []finding{{"r", 0.25, []string{}}, {"", 3, []string{"a", "b"}}}, Grid: [][]uint32{{1, 2}, {}}}
	want.Last.OK = true
	g.Expect(got).To(Equal(want))
	g.Expect(schemaOf(g, l.Requests()[0])).To(Equal(`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"integer"},` +
		`"findings":{"type":"array","items":{"type":"object","properties":{"Reason":{"type":"string"},"score":{"type":"number"},"Tags":{"type":"array","items":{"type":"string"}}},"required":["Reason","score","Tags"],"additionalProperties":false}},` +
		`"grid":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},` +
		`"last":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}},` +
		`"required":["zeta","alpha","findings","grid","last"],"additionalProperties":false}`))
	g.Expect(l.Requests()[0].Messages()[0].Content).To(HaveSuffix(
		`Reply with JSON only: {"zeta": "...", "alpha": 1, "findings": [{"Reason": "...", "score": 0.5, "Tags": ["...", ...]}, ...], "grid": [[1, ...], ...], "last": {"ok": true}}`))
}

// A reply that lacks anything, at any depth, is no reply; it is not kept.
func TestReplyThatLacksAField(t *testing.T) {
	type part struct {
		Name   string `json:"name"`
		Counts []int  `json:"counts"`
	}
	type whole struct {
		OK    bool     `json:"ok"`
		One   part     `json:"one"`
		Parts []part   `json:"parts"`
		Grid  [][]part `json:"grid"`
	}
	const (
		one  = `{"name":"n","counts":[1]}`
		fine = `{"ok":true,"one":` + one + `,"parts":[` + one + `],"grid":[[` + one + `]]}`
	)
	for content, want := range map[string]string{
		`{}`:                                        `the field "ok", got none`,
		strings.Replace(fine, "ok", "OK", 1):        `the field "ok", got none`,
		strings.Replace(fine, "true", "null", 1):    `the field "ok", got none`,
		`{"ok":true}`:                               `the field "one", got none`,
		strings.Replace(fine, one, `{}`, 1):         `the field "one.name", got none`,
		strings.Replace(fine, one, `null`, 1):       `the field "one", got none`,
		strings.Replace(fine, `[1]`, `null`, 1):     `the field "one.counts", got none`,
		strings.Replace(fine, `[1]`, `[1,null]`, 1): `the field "one.counts[]", got none`,
		strings.Replace(fine, `"parts":[`+one, `"parts":[`+one+`,{"name":"n"}`, 1): `the field "parts[].counts", got none`,
		strings.Replace(fine, `"parts":[`+one, `"parts":[`+one+`,null`, 1):         `the field "parts[]", got none`,
		strings.Replace(fine, `"grid":[[`, `"grid":[[{"counts":[]}],[`, 1):         `the field "grid[][].name", got none`,
		strings.Replace(fine, `"grid":[[`, `"grid":[null,[`, 1):                    `the field "grid[]", got none`,
		strings.Replace(fine, "true", `"yes"`, 1):                                  `JSON of the schema, got `,
		strings.Replace(fine, "true", `1`, 1):                                      `JSON of the schema, got `,
		strings.Replace(fine, `[1]`, `[1.5]`, 1):                                   `JSON of the schema, got `,
		strings.Replace(fine, `[1]`, `1`, 1):                                       `JSON of the schema, got `,
		strings.Replace(fine, `"ok":true`, `"ok":true,"ok":false`, 1):              `each field once, got the field "ok" twice`,
		strings.Replace(fine, one, `{"name":"n","counts":[1],"Name":"m"}`, 1):      `each field once, got the field "Name" twice`,
		fine + fine:            `one JSON object, got several`,
		fine[:len(fine)-1]:     `a JSON object, got none that is complete`,
		`[` + fine + `]`:       `a JSON object, got JSON of another kind`,
		`Polite, I would say.`: `a JSON object, got none that is complete`,
		`<think>` + fine:       `a JSON object, got thoughts that do not end`,
		`{"text":{"ok":true}}`: `the field "ok", got none`,
	} {
		t.Run(content, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("custom", fixtures.Text(content), fixtures.Text(content), fixtures.Text(fine))
			got, err := askFor[whole](l, "data")
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err).To(MatchError(ContainSubstring("malformed reply in step custom/v1: expected " + want)))
			g.Expect(got).To(BeZero())
			g.Expect(l.Requests()[1].Messages()).To(HaveLen(4), "the judge may mend it")

			got, err = askFor[whole](l, "data")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.Parts).To(Equal([]part{{"n", []int{1}}}))
		})
	}
}

type (
	link    struct{ Next []link }
	left    struct{ Right []right }
	right   struct{ Left []left }
	base    struct{ OK bool }
	derived struct {
		base
		Reason string
	}
	embedding struct {
		politeness
	}
	stamp  struct{ At time.Time }
	quoted struct {
		N int `json:"n,string"`
	}
	doubled struct {
		A string `json:"B"`
		B string
	}
)

// A type that no schema can be made for, or that would be read otherwise than
// the schema says, is an error before anything is asked.
func TestTypesThatAReplyCannotHave(t *testing.T) {
	refused := func(want string, ask func(*lab) error) {
		t.Helper()
		g := NewWithT(t)
		l := newLab(t)
		err := ask(l)
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
	refused("a reply is read into a struct, not into string", plainly[string])
	refused("a reply is read into a struct, not into []bool", plainly[[]bool])
	refused("a reply is read into a struct, not into *ragtest_test.politeness", plainly[*politeness])
	refused("a reply is read into a struct, not into map[string]bool", plainly[map[string]bool])
	refused("cannot have a field of type map[string]string", plainly[struct{ M map[string]string }])
	refused("cannot have a field of type *bool", plainly[struct{ P *bool }])
	refused("cannot have a field of type interface {}", plainly[struct{ A any }])
	refused("cannot have a field of type [2]int", plainly[struct{ A [2]int }])
	refused("cannot have a field of type func()", plainly[struct{ F func() }])
	refused("cannot have a field of type complex128", plainly[struct{ C complex128 }])
	refused("cannot have a field of type chan int", plainly[struct{ Deep []struct{ C chan int } }])
	refused("cannot have a field of type time.Time", plainly[stamp])
	refused("cannot have a field of type time.Time", plainly[time.Time])
	refused("cannot have a field of type json.RawMessage", plainly[struct{ R json.RawMessage }])
	refused("cannot have a field of type json.Number", plainly[struct{ N json.Number }])
	refused("cannot have a field of type []uint8", plainly[struct{ B []byte }])
	refused("cannot have an embedded field, as ragtest_test.derived has", plainly[derived])
	refused("cannot have an embedded field, as ragtest_test.embedding has", plainly[embedding])
	refused("cannot have a field with the option string, as ragtest_test.quoted has", plainly[quoted])
	refused(`cannot have two fields "B", as ragtest_test.doubled has`, plainly[doubled])
	refused("cannot hold itself, as ragtest_test.link does", plainly[link])
	refused("cannot hold itself, as ragtest_test.left does", plainly[left])
}

// plainly asks both ways, which fail alike.
func plainly[R any](l *lab) error {
	_, err := askFor[R](l, "data")
	_, errEach := ragtest.AskEach[R](l.t.Context(), l.Judge.Judge(), politePrompt, nil, []string{"a"})
	if err == nil || errEach == nil || !strings.HasSuffix(err.Error(), errEach.Error()) {
		return fmt.Errorf("Ask fails with %v, AskEach with %v", err, errEach)
	}
	return err
}

// The same type twice is no recursion.
func TestATypeMayStandInSeveralPlaces(t *testing.T) {
	type pair struct {
		A, B politeness
		List []politeness
	}
	g := NewWithT(t)
	l := newLab(t)
	one := `{"reason":"r","polite":true}`
	l.On("custom", fixtures.Text(`{"A":`+one+`,"B":`+one+`,"List":[`+one+`]}`))
	got, err := askFor[pair](l, 1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(pair{politeness{"r", true}, politeness{"r", true}, []politeness{{"r", true}}}))
}
