package ragtest_test

import (
	"fmt"
	"regexp"
	"strings"
)

// Replies in testdata have Ragas' field names: {"statements":["…"]}, and
// {"statements":[{"statement":"…","reason":"…","verdict":1}]}. translate gives
// them this library's, word by word, so that whatever is wrong with a reply is
// still wrong with it. A field that is wrong because it has another's name gets
// that of the other.
func translate(step, reply string) string {
	if step == "claims" {
		return strings.NewReplacer("statements", "claims", "claims", "statements").Replace(reply)
	}
	n := 0
	reply = statement.ReplaceAllStringFunc(reply, func(string) string {
		n++
		return fmt.Sprintf(`"%d":{`, n)
	})
	reply = strings.Replace(statements.ReplaceAllString(reply, "{"), "]}", "}", 1)
	return strings.ReplaceAll(reply, `"verdict"`, `"supported"`)
}

var (
	statements = regexp.MustCompile(`\{\s*"statements":\s*\[`)
	statement  = regexp.MustCompile(`\{\s*"statement":\s*"(?:[^"\\]|\\.)*",?`)
)
