package ragtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                  nil,
		" \n\t.,;!":                         nil,
		"It is he who may":                  nil, // too short to carry the content
		"Opening opened OPENS open":         {"open"},
		"in 1932, at 7 a.m., for 12 euros":  {"12", "1932", "7", "euro"},
		"form A38b of 2nd class":            {"2nd", "a38b", "clas", "form"},
		"The Brücke/bridge—über-all":        {"brid", "brüc", "über"},
		"naı̈veté":                          {"naı̈"}, // a mark belongs to its letter
		"橋は開通":                              {"は開", "橋は", "開通"},
		"橋。開":                               nil, // not neighbours
		"1932年に開通":                          {"1932", "に開", "年に", "開通"},
		"サーバー":                              {"ーバ", "サー", "バー"},
		"สะพาน":                             {"ะพ", "พา", "สะ", "าน"},
		"مفتوح الجسر":                       {"الجس", "مفتو"},
		"Мост открылся":                     {"мост", "откр"},
		"over the 橋bridge":                  {"brid", "over"},
		"a\u00a0word\u2009after\u3000blank": {"afte", "blan", "word"},
	} {
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(words(text))); !slices.Equal(got, want) {
			t.Errorf("words of %q: %q, want %q", text, got, want)
		}
	}
}

// Case, marks between words and their order make no difference, and a text has
// at least the words of its parts.
func TestWordsOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		both := words(a + ". " + b)
		for _, part := range []string{a, b} {
			if w := words(part); shared(w, both) != len(w) {
				t.Fatalf("words of %q are %v, and of the whole %v", part, w, both)
			}
		}
		if !maps.Equal(both, words(b+"! — "+a)) {
			t.Fatalf("the order matters: %v, %v", both, words(b+"! — "+a))
		}
	})
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            {""},
		"One":                         {"One"},
		"One. Two! Three? Four":       {"One.", "Two!", "Three?", "Four"},
		"It costs 3.50 in v1.2.":      {"It costs 3.50 in v1.2.", ""},
		"A line\nanother. \n\n third": {"A line", "another.", "", "", "third"},
		"橋は開通した。八年かかった！本当か？はい":          {"橋は開通した。", "八年かかった！", "本当か？", "はい"},
		"\r\nWindows line\r\nand\r\nso": {"", "Windows line", "and", "so"},
	} {
		NewWithT(t).Expect(sentences(text)).To(Equal(want), "%q", text)
	}
}

func TestNearest(t *testing.T) {
	contexts := []string{
		"The ferry leaves at 7 a.m. every day. A ticket costs 12 euros; children travel free.",
		"Tolma has a ferry and a station. The ferry was built in 1932.",
		"橋は1932年に開通した。建設には八年かかった。",
	}
	for claim, want := range map[string]string{
		"An adult's ticket costs 15 euros.": "A ticket costs 12 euros; children travel free.",
		"The ferry of Tolma":                "Tolma has a ferry and a station.",
		"It was built in 1931.":             "The ferry was built in 1932.",
		"The ferry":                         "The ferry leaves at 7 a.m.", // the first of several; an abbreviation parts it
		"建設は九年だった。":                         "建設には八年かかった。",
		"Nobody swims.":                     "",
		"It is so.":                         "",
		"":                                  "",
	} {
		NewWithT(t).Expect(nearest(claim, contexts)).To(Equal(want), "%q", claim)
	}
	NewWithT(t).Expect(nearest("The ferry", nil)).To(BeEmpty())
}

// What is nearest stands in a context, and shares a word with the claim.
func TestNearestIsOfAContext(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("abcd efgh 12 橋開. \n!")))
	rapid.Check(t, func(t *rapid.T) {
		claim, contexts := text.Draw(t, "claim"), rapid.SliceOf(text).Draw(t, "contexts")
		got := nearest(claim, contexts)
		any := false
		for _, c := range contexts {
			for _, s := range sentences(c) {
				any = any || shared(words(claim), words(s)) > 0
			}
		}
		if any != (got != "") {
			t.Fatalf("got %q, though some sentence shares a word: %v", got, any)
		}
		if got != "" && !slices.ContainsFunc(contexts, func(c string) bool { return strings.Contains(c, got) }) {
			t.Fatalf("%q is in no context", got)
		}
		if got != "" && shared(words(claim), words(got)) == 0 {
			t.Fatalf("%q has no word of the claim", got)
		}
	})
}

// No sentence of a text is foreign to it, whatever was asked.
func TestSentencesOfATextAreItsOwn(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("abcd efgh ijkl mnop 12 橋開通. ")))
	rapid.Check(t, func(t *rapid.T) {
		answer, question := text.Draw(t, "answer"), text.Draw(t, "question")
		for _, s := range sentences(answer) {
			if why := foreign(words(s), words(answer), words(question), false); why != "" {
				t.Fatalf("%q %s", s, why)
			}
		}
	})
}

func TestAgrees(t *testing.T) {
	for _, text := range []string{"Yes, it is.", "No. Never.", "yes!", " \nJa, und", "はい、あります", "不。", "是的，周日", "ใช่, ครับ", "نعم، يمكن", "Oui: toujours"} {
		if !agrees(text) {
			t.Errorf("%q does not agree", text)
		}
	}
	for _, text := range []string{"", "Yes", "The depot is open.", "1932.", "1932, in May", "Certainly, it is.", "In 1932, it opened.", ", yes", "橋は1932年に開通しました。", "$5, please"} {
		if agrees(text) {
			t.Errorf("%q agrees", text)
		}
	}
}
