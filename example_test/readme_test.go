package example_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// The first example of README is a test that runs.
func TestREADMEShowsTheQuickstart(t *testing.T) {
	code, err := os.ReadFile("quickstart/quickstart_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(readme(t), "```go\n"+strings.ReplaceAll(string(code), "\r\n", "\n")+"```\n") {
		t.Error("README.md does not show example_test/quickstart/quickstart_test.go as it is")
	}
}

// Its messages are those that a test prints.
func TestMessagesOfREADME(t *testing.T) {
	s := sample(t, "student-discount")
	var failure string
	NewGomega(func(message string, _ ...int) { failure = message }).Expect(s).To(BeFaithful())
	shows(t, failure)

	standing, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	strict, err := cache.Open(cache.Options{Mode: cache.Replay})
	if err != nil {
		t.Fatal(err)
	}
	s.Response = strings.Replace(s.Response, "25 percent", "30 percent", 1)
	_, err = standing.CachedIn(strict).Measure(t.Context(), ragtest.Faithfulness, s)
	if err == nil {
		t.Fatal("an answer that is not recorded was judged")
	}
	dir, _ := filepath.Abs(".")
	message := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	shows(t, lineNumber.ReplaceAllString(filepath.ToSlash(message), "_test.go:41"))
}

func shows(t *testing.T, message string) {
	t.Helper()
	if !strings.Contains(readme(t), "```\n"+message+"\n```\n") {
		t.Errorf("README.md does not show this message:\n%s", message)
	}
}

var lineNumber = regexp.MustCompile(`_test\.go:\d+`)
