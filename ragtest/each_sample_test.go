package ragtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

const few = `{"name":"bridge","tags":["critical"],"user_input":"When did it open?"}
{"user_input":"no name"}
{"name":"the depot/hours","tags":["critical","odd"],"user_input":"When?"}
{"name":"other","tags":["odd"]}
`

// runner is a test that notes what is run.
type runner struct {
	name   string
	ran    *[]string
	failed string
}

func (*runner) Helper() {}
func (r *runner) Fatal(args ...any) {
	r.failed = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *runner) Run(name string, test func(*runner)) bool {
	test(&runner{name: name, ran: r.ran})
	return true
}

// eachSample runs each in a goroutine, as a test that fails ends it.
func eachSample(path string, tags ...string) *runner {
	r := &runner{ran: &[]string{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ragtest.EachSample(r, path, func(r *runner, s ragtest.Sample) {
			*r.ran = append(*r.ran, r.name+": "+s.Name+": "+s.UserInput)
		}, tags...)
	}()
	<-done
	return r
}

func TestEachSample(t *testing.T) {
	g := NewWithT(t)
	path := file(t, few)
	g.Expect(*eachSample(path).ran).To(Equal([]string{
		"bridge: bridge: When did it open?", "#2: #2: no name", "the depot/hours: the depot/hours: When?", "other: other: ",
	}))
	g.Expect(*eachSample(path, "critical").ran).To(HaveExactElements(HavePrefix("bridge"), HavePrefix("the depot")))
	g.Expect(*eachSample(path, "odd", "critical").ran).To(HaveExactElements(HavePrefix("bridge"), HavePrefix("the depot"), HavePrefix("other")))
}

func TestEachSampleOfABadFile(t *testing.T) {
	path := file(t, few)
	place := file(t, `{"name":"#2"}`+"\n{}")
	broken := file(t, few+"{")
	for _, test := range []struct {
		path string
		tags []string
		want string
	}{
		{"none.jsonl", nil, "ragtest: the samples cannot be read: open none.jsonl: "},
		{broken, nil, "ragtest: " + broken + ":5 is not a sample: expected one JSON object: unexpected end of JSON input"},
		{path, []string{"critical", "cirtical"}, "ragtest: " + path + ` has no sample with the tag "cirtical"`},
		{place, nil, `ragtest: samples 1 and 2 are both called "#2"; names must differ, as results are told apart by them (` + place + ")"},
	} {
		g := NewWithT(t)
		r := eachSample(test.path, test.tags...)
		g.Expect(r.failed).To(HavePrefix(test.want))
		g.Expect(*r.ran).To(BeEmpty())
		g.Expect(func() {
			ragtest.Entries(test.path, func(ragtest.Sample) string { return "" }, test.tags...)
		}).To(PanicWith(MatchError(HavePrefix(test.want))))
	}
}

func TestEntries(t *testing.T) {
	g := NewWithT(t)
	path := file(t, few)
	named := func(s ragtest.Sample) string { return s.Name }
	g.Expect(ragtest.Entries(path, named)).To(Equal([]string{"bridge", "#2", "the depot/hours", "other"}))
	g.Expect(ragtest.Entries(path, named, "odd")).To(Equal([]string{"the depot/hours", "other"}))
}

// TestOfAFile is what TestRunOneSample runs.
func TestOfAFile(t *testing.T) {
	path := os.Getenv("RAGTEST_EACH_SAMPLE")
	if path == "" {
		t.Skip("it is run by TestRunOneSample")
	}
	ragtest.EachSample(t, path, func(t *testing.T, s ragtest.Sample) {
		t.Parallel()
		t.Log("judged " + s.Name)
	})
}

// A sample can be run alone, by its name.
func TestRunOneSample(t *testing.T) {
	path := file(t, few)
	for pattern, want := range map[string][]string{
		"TestOfAFile":                 {"bridge", "#2", "the depot/hours", "other"},
		"TestOfAFile/bridge":          {"bridge"},
		"TestOfAFile/#2":              {"#2"},
		"TestOfAFile/the depot/hours": {"the depot/hours"},
		"TestOfAFile/nothing":         nil,
	} {
		g := NewWithT(t)
		cmd := exec.Command(os.Args[0], "-test.run", "^"+strings.Replace(pattern, "/", "$/", 1), "-test.v")
		cmd.Env = append(os.Environ(), "RAGTEST_EACH_SAMPLE="+path)
		out, err := cmd.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
		var ran []string
		for line := range strings.Lines(string(out)) {
			if _, name, ok := strings.Cut(line, "judged "); ok {
				ran = append(ran, strings.TrimSpace(name))
			}
		}
		g.Expect(ran).To(ConsistOf(want), pattern)
	}
}
