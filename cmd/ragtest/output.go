package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
)

// inJSON reports whether the command was told to print JSON.
func inJSON(cmd *cobra.Command) bool {
	yes, err := cmd.Flags().GetBool("json")
	return err == nil && yes
}

// printJSON prints v for programs.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// table aligns columns that are separated by tabs.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// terminal is where a command prints for people.
func terminal(cmd *cobra.Command) io.Writer { return visible{cmd.OutOrStdout()} }

// visible shows control characters by their numbers: names and texts are others', and a
// terminal would obey them. What is written must not end within a letter.
type visible struct{ to io.Writer }

func (v visible) Write(text []byte) (int, error) {
	if _, err := io.WriteString(v.to, harmless(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// aloneReturn finds the carriage returns that end no line: what follows one is written
// over what stands before it.
var aloneReturn = strings.NewReplacer("\r\n", "\r\n", "\r", "[U+000D]")

func harmless(text string) string { return aloneReturn.Replace(page.Visible(text)) }

// oneLine is a text as a cell of a table: what is white in it is a space.
func oneLine(text string) string { return page.Visible(strings.Join(strings.Fields(text), " ")) }

// cut shortens a text to so many letters, on one line.
func cut(text string, most int) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// count writes "1 call", "2 calls".
func count(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}
