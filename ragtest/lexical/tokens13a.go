package lexical

import "strings"

// Tokens13a is the tokenizer of WMT's mteval-v13a, and the default of sacrebleu. It
// parts punctuation of ASCII from words, but for points and commas within numbers. A
// text without spaces, such as Chinese, is one token.
func Tokens13a(text string) []string {
	text = strings.TrimRightFunc(text, isSpace)
	text = strings.ReplaceAll(text, "<skipped>", "")
	text = strings.ReplaceAll(text, "-\n", "")
	text = strings.ReplaceAll(text, "\n", " ")
	for _, escape := range [][2]string{{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
		text = strings.ReplaceAll(text, escape[0], escape[1])
	}
	// Each pass reads what the one before has written. All that they look at is ASCII,
	// so bytes do.
	b := aroundPunctuation(" " + text + " ")
	b = betweenPairs(b, func(a, b byte) bool { return !isDigit(a) && isStop(b) }, false)
	b = betweenPairs(b, func(a, b byte) bool { return isStop(a) && !isDigit(b) }, true)
	b = betweenPairs(b, func(a, b byte) bool { return isDigit(a) && b == '-' }, false)
	return Fields(string(b))
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isStop(b byte) bool  { return b == '.' || b == ',' }

func aroundPunctuation(text string) []byte {
	b := make([]byte, 0, len(text)+len(text)/4)
	for i := range len(text) {
		if strings.IndexByte("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", text[i]) < 0 {
			b = append(b, text[i])
			continue
		}
		b = append(b, ' ', text[i], ' ')
	}
	return b
}

// betweenPairs puts a space between two bytes, and another before or behind them.
// Pairs do not overlap.
func betweenPairs(text []byte, is func(a, b byte) bool, before bool) []byte {
	b := make([]byte, 0, len(text)+len(text)/4)
	for i := 0; i < len(text); i++ {
		if i+1 == len(text) || !is(text[i], text[i+1]) {
			b = append(b, text[i])
			continue
		}
		if before {
			b = append(b, ' ', text[i], ' ', text[i+1])
		} else {
			b = append(b, text[i], ' ', text[i+1], ' ')
		}
		i++
	}
	return b
}
