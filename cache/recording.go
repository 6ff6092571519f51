package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// recording is one committed file of exchanges. It is read when it is first
// needed, and its lines are decoded when they are.
type recording struct {
	path string

	writing sync.Mutex // held by the goroutine that has the file's lock

	mu     sync.Mutex
	loaded bool
	seen   os.FileInfo // the file as it was read; nil if there was none
	lines  map[Key][]line
	used   map[Key]bool
	torn   []line   // lines that a writer or an editor left without their end
	fresh  [][]byte // lines that this process added, for settle
}

type line struct {
	text []byte
	no   int // in the file when it was read, from 1; 0 for a line of this process
}

// load reads the file, if it was not read yet or is no longer what was read.
// It is called with r.mu held.
func (r *recording) load(again bool) error {
	if r.loaded && !again {
		return nil
	}
	if r.loaded {
		now, err := os.Stat(r.path)
		if err == nil && r.seen != nil && os.SameFile(now, r.seen) && now.Size() == r.seen.Size() && now.ModTime().Equal(r.seen.ModTime()) {
			return nil
		}
	}
	text, info, err := readFile(r.path)
	if err != nil {
		return fmt.Errorf("cache: the recording cannot be read: %w", err)
	}
	r.loaded, r.seen = true, info
	r.lines, r.torn = index(text)
	return nil
}

// readFile returns what path holds and what it was when it was opened: a file
// that grows while it is read differs from that, and is read again.
func readFile(path string) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(path)
	return text, info, err
}

// index finds the key of every line: in any order, with any line ends,
// identical lines once. The second result has the lines that are cut off.
func index(text []byte) (map[Key][]line, []line) {
	lines := make(map[Key][]line, len(text)/2048)
	var torn []line
	for no := 1; len(text) > 0; no++ {
		t, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if no == 1 {
			t = bytes.TrimPrefix(t, []byte("\ufeff"))
		}
		if t = bytes.TrimSpace(t); len(t) == 0 {
			continue
		}
		k, ok := lineKey(t)
		if !ok || !whole(t) {
			torn = append(torn, line{t, no})
			continue
		}
		if !slices.ContainsFunc(lines[k], func(l line) bool { return bytes.Equal(l.text, t) }) {
			lines[k] = append(lines[k], line{t, no})
		}
	}
	return lines, torn
}

// get returns the recorded reply to req. With again it looks whether the file
// has grown since it was read.
func (r *recording) get(req Request, again bool) (Reply, bool, error) {
	req = req.hashed()
	k := req.Key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(again); err != nil {
		return Reply{}, false, err
	}
	found := r.lines[k]
	if len(found) == 0 {
		return Reply{}, false, nil
	}
	first, err := r.decode(found[0])
	if err != nil {
		return Reply{}, false, err
	}
	if first.Request != req.digest() {
		return Reply{}, false, &LineError{r.path, found[0].no, errors.New("has the key of another request")}
	}
	for _, l := range found[1:] {
		x, err := r.decode(l)
		if err != nil {
			return Reply{}, false, err
		}
		switch {
		case bytes.Equal(first.Reply, x.Reply):
		case req.Same != nil && req.Same(first.Reply, x.Reply):
			if bytes.Compare(x.Reply, first.Reply) < 0 {
				first = x // whatever the order of the lines, the same one counts
			}
		default:
			return Reply{}, false, &ConflictError{
				Path: r.path, Key: k, Lines: [2]int{found[0].no, l.no},
				Replies: [2]string{string(first.Reply), string(x.Reply)},
			}
		}
	}
	r.use(k)
	return first.reply(Recorded), true, nil
}

// use notes that this run needs k. It is called with r.mu held.
func (r *recording) use(k Key) {
	if r.used == nil {
		r.used = map[Key]bool{}
	}
	r.used[k] = true
}

// unused returns the keys that are recorded and were not needed.
func (r *recording) unused() ([]Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(true); err != nil {
		return nil, err
	}
	var keys []Key
	for k := range r.lines {
		if !r.used[k] {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	return keys, nil
}

func (r *recording) decode(l line) (Exchange, error) {
	x, err := ReadExchange(l.text)
	if err != nil {
		return x, &LineError{r.path, l.no, err}
	}
	return x, nil
}

// exchanges decodes all lines, in the order of their keys and of the file.
// Lines that cannot be used are left out.
func (r *recording) exchanges() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []recorded
	for _, ls := range r.lines {
		for _, l := range ls {
			if x, err := ReadExchange(l.text); err == nil {
				all = append(all, recorded{x, l.no})
			}
		}
	}
	slices.SortFunc(all, func(a, b recorded) int {
		if a.Key != b.Key {
			return bytes.Compare([]byte(a.Key), []byte(b.Key))
		}
		return a.line - b.line
	})
	return all
}

type recorded struct {
	Exchange
	line int
}

// LineError reports a line of a recording that cannot be used.
type LineError struct {
	Path string
	Line int // from 1; 0 for a line that this process wrote
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("cache: %s:%d %v. Restore the line from version control, or delete it and record it again with RAGTEST_CACHE=auto", e.Path, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }
