package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// ConflictError reports that a recording holds two different replies for one
// key, as a merge of two branches can leave it. Nobody but a person can tell
// which one is to be kept; see [Resolve].
type ConflictError struct {
	Path    string
	Key     Key
	Lines   [2]int
	Replies [2]string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf(`cache: %s has two replies for key %s:
    line %d: %s
    line %d: %s
Keep the first of the two, the second, or neither, to ask again:
    go run github.com/ragomega/ragomega/cmd/ragtest resolve -keep ours|theirs|neither %s`,
		e.Path, e.Key, e.Lines[0], clip(e.Replies[0]), e.Lines[1], clip(e.Replies[1]), e.Path)
}

// clip keeps messages short; replies can have megabytes.
func clip(s string) string {
	const most = 400
	if len(s) <= most {
		return s
	}
	return s[:most] + fmt.Sprintf("… (%d bytes)", len(s))
}

// Keep says which of several replies to one key is kept.
type Keep string

const (
	// Ours is the one that stands first: a union merge puts the lines of the
	// branch that was merged into before those of the other.
	Ours Keep = "ours"
	// Theirs is the one that stands last.
	Theirs Keep = "theirs"
	// Neither drops them all, so that the next run asks again.
	Neither Keep = "neither"
)

// Resolve settles every conflict in a recording, and returns how many there
// were. Keys with one reply are left as they are.
func Resolve(file string, keep Keep) (settled int, err error) {
	if keep != Ours && keep != Theirs && keep != Neither {
		return 0, fmt.Errorf("cache: cannot keep %q, expected ours, theirs or neither", string(keep))
	}
	err = edit(file, func(_ Key, lines []line) []line {
		if !slices.ContainsFunc(lines, func(l line) bool { return !sameReply(lines[0], l) }) {
			return lines
		}
		settled++
		switch keep {
		case Ours:
			return lines[:1]
		case Theirs:
			return lines[len(lines)-1:]
		}
		return nil
	})
	return settled, err
}

func sameReply(a, b line) bool {
	xa, errA := ReadExchange(a.text)
	xb, errB := ReadExchange(b.text)
	return errA == nil && errB == nil && bytes.Equal(xa.Reply, xb.Reply)
}

// Tidy removes the exchanges with the given keys from a recording, and returns
// how many lines that were; see [Cache.Unused].
func Tidy(file string, keys []Key) (removed int, err error) {
	err = edit(file, func(k Key, lines []line) []line {
		if slices.Contains(keys, k) {
			removed += len(lines)
			return nil
		}
		return lines
	})
	return removed, err
}

// edit rewrites a recording, one key after the other.
func edit(file string, keep func(Key, []line) []line) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cache: the recording cannot be read: %w", err)
	}
	lines, torn := index(text)
	for k, ls := range lines {
		lines[k] = keep(k, ls)
	}
	if edited := assemble(lines, torn); !bytes.Equal(edited, text) {
		if err := replaceFile(file, edited); err != nil {
			return fmt.Errorf("cache: the recording cannot be written: %w", err)
		}
	}
	return nil
}
