package lexical_test

import (
	"slices"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestQuotes(t *testing.T) {
	for _, p := range []struct {
		text  string
		words int
		want  []string
	}{
		{`They said "the lift is broken" twice.`, 3, []string{"the lift is broken"}},
		{`They said "the lift is broken" twice.`, 5, nil},
		{"“one two three” ‘four five six’ „sieben acht neun“ `ten eleven twelve´", 3, []string{"one two three", "four five six", "sieben acht neun", "ten eleven twelve"}},
		{"it's 'so'", 1, []string{"s"}},
		{"\"not over\nlines\" but \"on one\"", 1, []string{"but"}},
		{`" padded words "`, 2, []string{"padded words"}},
		{`""`, 0, []string{""}},
		{`""`, 1, nil},
		{"\"图书馆星期日不开放\"", 1, []string{"图书馆星期日不开放"}},
		{`no mark`, 0, nil},
		{`one mark "`, 0, nil},
		{"", 0, nil},
	} {
		if got := lexical.Quotes(p.text, p.words); !slices.Equal(got, p.want) {
			t.Errorf("the quotes of %q with %d words are %q, not %q", p.text, p.words, got, p.want)
		}
	}
}
