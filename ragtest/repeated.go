package ragtest

import (
	"encoding/json"
	"strings"
)

// repeated returns the name of a field that an object in valid JSON has twice,
// or "": a decoder would mix the two. Case does not tell fields apart, as it does
// not for the decoder.
//
// Every reply is read this way each time it is replayed, so it is done in one
// pass over the bytes rather than by the tokens of a decoder.
func repeated(text string) string {
	var (
		open  []int    // for each object or list around: where its names begin in names, or -1 in a list
		names []string // of all open objects, as they are written
		value bool     // a value comes next, not a name
	)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open, value = append(open, len(names)), false
		case '[':
			open, value = append(open, -1), true
		case '}', ']':
			if from := open[len(open)-1]; from >= 0 {
				names = names[:from]
			}
			open = open[:len(open)-1]
		case ':':
			value = true
		case ',':
			value = len(open) > 0 && open[len(open)-1] < 0
		case '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if len(open) > 0 && !value {
				name := plain(text[i : end+1])
				for _, n := range names[open[len(open)-1]:] {
					if strings.EqualFold(n, name) {
						return name
					}
				}
				names = append(names, name)
			}
			i = end
		}
	}
	return ""
}

// plain returns what a JSON string says.
func plain(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	_ = json.Unmarshal([]byte(quoted), &s) // it is valid
	return s
}
