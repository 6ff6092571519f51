package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// refresh reads what other processes have written since.
func (s *Store) refresh() error {
	if s.closed {
		return fmt.Errorf("cache: store %s: %w", s.dir, os.ErrClosed)
	}
	info, err := s.roll.Stat()
	if err != nil {
		return storeError("look at", s.roll.Name(), err)
	}
	if info.Size() != s.rolled {
		if err := s.list(); err != nil {
			return err
		}
		s.rolled = info.Size()
	}
	for _, g := range s.segs {
		if g.live {
			s.readOn(g)
		}
	}
	return nil
}

// list finds new segments, those whose writers are gone, and a new base.
//
// Segments are listed before the base: one that was folded away before the
// listing is then in the base that is found.
func (s *Store) list() error {
	names, err := dirNames(filepath.Join(s.dir, segmentDir))
	if err != nil {
		return err
	}
	for _, g := range s.segs {
		g.gone = !slices.Contains(names, g.name) // a few dozen at most
	}
	for _, name := range names {
		if strings.HasSuffix(name, segmentExt) && s.segs[name] == nil {
			s.addSegment(filepath.Join(s.dir, segmentDir, name))
		}
	}
	for _, g := range s.segs {
		if !g.own && !g.dead && g.writerGone() {
			s.seal(g)
		}
	}
	return s.listBase()
}

// dirNames returns the names in a folder; a missing one is empty.
func dirNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, storeError("list", dir, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, storeError("list", dir, err)
	}
	return names, nil
}

// addSegment opens a segment and reads it. One that has no magic line yet is
// left alone: its writer will let STORE grow when it has.
func (s *Store) addSegment(path string) {
	f, err := os.Open(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // else it has just been folded
			s.warn(fmt.Sprintf("cache: cannot read segment %s: %v: what it holds will be asked again", path, err))
		}
		return
	}
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(segmentMagic)) {
		f.Close()
		return
	}
	g := &segment{name: filepath.Base(path), path: path, f: f, live: true}
	s.segs[g.name] = g
	s.readOn(g)
}

// readOn reads what was appended to g since the last time.
func (s *Store) readOn(g *segment) {
	info, err := g.f.Stat()
	if err != nil || info.Size() == g.end {
		return
	}
	if info.Size() < g.end {
		s.warn(fmt.Sprintf("cache: segment %s was cut from %d to %d bytes: what it held there is gone and will be asked again", g.path, g.end, info.Size()))
		g.live = false
		return
	}
	end, faults := scanSegment(g.f, g.end, info.Size(), func(off int64, k Key, st stamp) {
		g.n++
		if p, ok := s.index[k]; !ok || st.newer(p.stamp) {
			s.index[k] = place{st, g, off}
		}
	})
	g.end = end
	for _, f := range faults {
		s.warn(fmt.Sprintf("cache: segment %s is damaged at byte %d: %s: what it held there is gone and will be asked again", g.path, f.off, f.what))
	}
}

// seal reads the rest of a segment that nobody appends to any more.
func (s *Store) seal(g *segment) {
	g.dead = true
	if !g.live {
		return
	}
	s.readOn(g)
	g.live = false
	if info, err := g.f.Stat(); err == nil && info.Size() > g.end {
		s.warn(fmt.Sprintf("cache: segment %s ends inside a record at byte %d: its writer was killed there or the file was cut; that record is gone and will be asked again", g.path, g.end))
	}
}

// dropSegment forgets g and its records.
func (s *Store) dropSegment(g *segment) {
	for k, p := range s.index {
		if p.seg == g {
			delete(s.index, k)
		}
	}
	delete(s.segs, g.name)
	g.f.Close()
}
