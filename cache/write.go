package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// The methods of this file change the recording's file. Their caller holds the
// lock of that file, as other processes of the package may do the same.

// writable makes sure that a line could be appended, before a reply is paid
// for that could not be kept.
func (r *recording) writable() error {
	err := os.MkdirAll(filepath.Dir(r.path), 0o755)
	if err == nil {
		var f *os.File
		f, err = os.OpenFile(r.path, os.O_APPEND|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrNotExist) { // an empty one is not left behind, should nothing come
			if f, err = os.CreateTemp(filepath.Dir(r.path), "."+filepath.Base(r.path)+".*"); err == nil {
				defer os.Remove(f.Name())
			}
		}
		if err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("cache: the recording cannot be written, so nothing was asked. Make its folder writable, or set RAGTEST_CACHE=replay to use only what is recorded, or RAGTEST_CACHE=off to record nothing: %w", err)
	}
	return nil
}

// add appends text, the line of req and reply, in one write. If another process wrote
// a reply to the same key meanwhile, that one is returned and stands, so that
// all processes go on with the same; unless replace is set.
func (r *recording) add(req Request, reply Reply, text []byte, replace bool) (Reply, error) {
	if !replace {
		there, ok, err := r.get(req, true)
		if err != nil {
			return Reply{}, err
		}
		if ok {
			there.Source = reply.Source
			return there, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(replace); err != nil {
		return Reply{}, err
	}
	replaced := len(r.lines[req.Key()]) > 0
	r.use(req.Key())
	r.lines[req.Key()] = []line{{text: text}}
	r.fresh = append(r.fresh, text)
	if !replaced {
		return reply, r.append(text)
	}
	// The old line goes at once: with both in the file, a run that is killed
	// would leave a conflict.
	if err := replaceFile(r.path, assemble(r.lines, r.torn)); err != nil {
		return reply, err
	}
	seen, err := os.Stat(r.path)
	r.seen = seen
	return reply, err
}

func (r *recording) append(text []byte) error {
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	out := make([]byte, 0, len(text)+2)
	// A writer that was killed may have left half a line: it must not swallow
	// this one.
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			out = append(out, '\n')
		}
	}
	_, err = f.Write(append(append(out, text...), '\n'))
	if info, errStat := f.Stat(); errStat == nil {
		r.seen = info
	}
	return errors.Join(err, f.Close())
}

// grew reports whether settle has anything to do.
func (r *recording) grew() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.fresh) > 0
}

// settle rewrites the file if this process added to it: sorted, each line once,
// with all that other processes wrote. A torn line goes when its key is there
// again; until then it stays, as only a person can tell what it was.
func (r *recording) settle(replace bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.fresh) == 0 {
		return nil
	}
	old, err := os.ReadFile(r.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: the recording cannot be settled: %w", err)
	}
	lines, torn := index(old)
	mine, _ := index(bytes.Join(r.fresh, []byte("\n")))
	for k, ls := range mine {
		if replace {
			lines[k] = ls[len(ls)-1:]
			continue
		}
		for _, l := range ls {
			if !slices.ContainsFunc(lines[k], func(o line) bool { return bytes.Equal(o.text, l.text) }) {
				lines[k] = append(lines[k], l)
			}
		}
	}
	text := assemble(lines, torn)
	if !bytes.Equal(text, old) {
		if err := replaceFile(r.path, text); err != nil {
			return fmt.Errorf("cache: the recording cannot be sorted, its lines stay as they were appended: %w", err)
		}
	}
	r.fresh, r.loaded = nil, false
	return nil
}

// assemble writes lines in the order of their keys. Lines of one key stay in the
// order that they had, as that tells whose they are after a merge.
func assemble(lines map[Key][]line, torn []line) []byte {
	var b bytes.Buffer
	put := func(l line) { b.Write(l.text); b.WriteByte('\n') }
	for _, k := range slices.SortedFunc(maps.Keys(lines), func(a, b Key) int { return bytes.Compare(a[:], b[:]) }) {
		for _, l := range lines[k] {
			put(l)
		}
	}
	for _, l := range torn {
		if k, ok := lineKey(l.text); !ok || len(lines[k]) == 0 {
			put(l)
		}
	}
	return b.Bytes()
}

// replaceFile puts text in place of path in one step: a reader sees the old
// file or the new one.
func replaceFile(path string, text []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays one
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
