package cache

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A fold killed between any two of its steps has happened or has not: each
// state it can leave is made here from the states before and after it.
func TestStoreKilledFold(t *testing.T) {
	storeNeedsBase(t)
	before := t.TempDir()
	storeFill(t, before, 0, 20, true)
	storeFill(t, before, 20, 40, true)
	storeFill(t, before, 40, 50, false)
	storeFill(t, before, 50, 60, false)
	after := storeCopy(t, before)
	storeFold(t, after)
	segments := storeSegments(t, before)

	// restore copies path from the state before into dir.
	restore := func(t *testing.T, dir, path string) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, path), os.DirFS(filepath.Join(before, path))); err != nil {
			t.Fatal(err)
		}
	}
	// unmove moves a kept segment back.
	unmove := func(t *testing.T, dir, path string) {
		t.Helper()
		name := filepath.Base(path)
		if err := os.Rename(filepath.Join(dir, foldedDir, "3", name), filepath.Join(dir, segmentDir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		from string
		make func(t *testing.T, dir string)
	}{
		{"while copying", before, func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, baseDir, tmpBase)
			if err := os.CopyFS(tmp, os.DirFS(filepath.Join(dir, baseDir, "2"))); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, tmp, "truncated table")
			storeDamage(t, tmp, "deleted LIST")
		}},
		{"while Badger writes", before, func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, baseDir, tmpBase)
			if err := os.CopyFS(tmp, os.DirFS(filepath.Join(dir, baseDir, "2"))); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, tmp, "leftover .mem")
		}},
		{"before the rename", before, func(t *testing.T, dir string) {
			if err := os.CopyFS(filepath.Join(dir, baseDir, tmpBase), os.DirFS(filepath.Join(after, baseDir, "3"))); err != nil {
				t.Fatal(err)
			}
		}},
		{"after the rename", after, func(t *testing.T, dir string) {
			unmove(t, dir, segments[0])
			unmove(t, dir, segments[1])
			if err := os.Remove(filepath.Join(dir, foldedDir, "3")); err != nil {
				t.Fatal(err)
			}
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"while moving segments", after, func(t *testing.T, dir string) {
			unmove(t, dir, segments[1])
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"before sweeping", after, func(t *testing.T, dir string) {
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"while sweeping", after, func(t *testing.T, dir string) {
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
			old := filepath.Join(dir, baseDir, "old-1")
			if err := os.Rename(filepath.Join(dir, baseDir, "1"), old); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, old, "deleted table")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := storeCopy(t, c.from)
			c.make(t, dir)
			for range 2 { // as it was left, and after the next fold
				s := storeOpen(t, dir)
				for i := range 60 {
					storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
				}
				storeWantNone(t, s, storeKey(99))
				storeQuiet(t, s)
				storeClose(t, s)
				storeFold(t, dir)
			}
			// And the newest base may yet be damaged.
			ns, _, _ := numbered(filepath.Join(dir, baseDir))
			storeDamage(t, filepath.Join(dir, baseDir, strconv.Itoa(ns[0])), "half MANIFEST")
			s := storeOpen(t, dir)
			for i := range 60 {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			}
			storeWarned(t, s, "is damaged", "none of its 60 records is gone")
			storeClose(t, s)
			s = storeOpen(t, dir)
			if s.Get(storeKey(99)); s.base == nil || s.base.list.records != 60 {
				t.Errorf("the base is %+v, want one of 60 records", s.base)
			}
			storeQuiet(t, s)
			storeClose(t, s)
			names, _ := dirNames(filepath.Join(dir, baseDir))
			for _, name := range names {
				if name == tmpBase || strings.HasPrefix(name, oldTag) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}
