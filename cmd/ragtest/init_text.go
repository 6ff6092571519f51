package main

import (
	"fmt"
	"io"
	"strings"
)

// mainTest is of a package, with a judge.
const mainTest = `package %s

import (
	"os"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) {
	ragtest.Use(%s)
	os.Exit(ragtest.Run(m))
}
`

// firstTest is of a package. What it says is wrong, so that there is a failure to
// look at.
const firstTest = `package %s

import (
	"testing"

	"github.com/onsi/gomega"

	"github.com/ragomega/ragomega/matchers"
)

// This test fails on purpose: nothing in the document says that returns are free.
// Look at the message, then put your own system's answer and documents here.
func TestFirstAnswerIsGrounded(t *testing.T) {
	g := gomega.NewWithT(t)

	question := "How long can I return an order?"
	documents := []string{"Orders can be returned within 30 days. The customer pays for the parcel."}
	answer := "You can return an order within 30 days. Returns are free."

	g.Expect(answer).To(matchers.BeFaithfulTo(documents...).Asked(question))
}
`

// gitAttributes have branches merge, and every checkout the same bytes.
var gitAttributes = []string{
	"**/testdata/ragtest/*.jsonl text eol=lf merge=union",
	"**/testdata/ragtest/embeddings.jsonl -diff",
}

// ciStep needs no key: where CI is set, only recordings are read.
const ciStep = `- run: go test ./...
- run: go run github.com/ragomega/ragomega/cmd/ragtest check
`

const workflow = `name: ragtest
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      # CI is set here, so that only recordings are read: no key, no network.
      - run: go test ./...
      - run: go run github.com/ragomega/ragomega/cmd/ragtest check
`

func (d done) print(w io.Writer) {
	for _, f := range d.Written {
		fmt.Fprintln(w, "wrote", f)
	}
	for _, f := range d.Kept {
		fmt.Fprintln(w, "left as it is:", f)
	}
	for _, l := range d.Left {
		fmt.Fprintln(w, "for you to do:", l)
	}
	fmt.Fprintln(w, "next:")
	for _, n := range d.Next {
		fmt.Fprintln(w, "  "+n)
	}
	fmt.Fprintf(w, "on a build server, which needs no key:\n  %s\n", strings.ReplaceAll(strings.TrimSpace(d.CI), "\n", "\n  "))
}
