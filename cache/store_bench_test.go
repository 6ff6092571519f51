package cache

import (
	"os"
	"path/filepath"
	"testing"
)

const storeBenchSize = 2200

// storeFolded100k makes a store with a base of 100,000 records, in a few
// seconds.
func storeFolded100k(b *testing.B) string {
	b.Helper()
	storeNeedsBase(b)
	dir := b.TempDir()
	s := storeOpen(b, dir)
	for i := range 100_000 {
		storePut(b, s, storeKey(i), storeReply(i))
	}
	storeClose(b, s)
	storeFold(b, dir)
	return dir
}

// storeReply is a value that compresses like a judge's reply.
func storeReply(i int) []byte {
	v := storeValue(i, 1, storeBenchSize/3)
	for len(v) < storeBenchSize {
		v = append(v, `{"claim":"the bridge opened in 1932","verdict":true},`...)
	}
	return v
}

func BenchmarkStorePut(b *testing.B) {
	s := storeOpen(b, b.TempDir())
	v := storeReply(1)
	b.SetBytes(int64(len(v)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		storePut(b, s, storeKey(i), v)
	}
	b.StopTimer()
}

func BenchmarkStoreGetSegment(b *testing.B) {
	dir := b.TempDir()
	w := storeOpen(b, dir) // lives: its segment is looked at on every Get
	for i := range 1000 {
		storePut(b, w, storeKey(i), storeReply(i))
	}
	s := storeOpen(b, dir)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok, err := s.Get(storeKey(i % 1000)); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkStoreGetBadger100k(b *testing.B) {
	s := storeOpen(b, storeFolded100k(b))
	s.Get(storeKey(0))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok, err := s.Get(storeKey(i * 7919 % 100_000)); !ok || err != nil {
			b.Fatal(ok, err, s.Warnings())
		}
	}
}

func BenchmarkStoreGetMiss100k(b *testing.B) {
	s := storeOpen(b, storeFolded100k(b))
	s.Get(storeKey(0))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok, err := s.Get(storeKey(100_000 + i)); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// Opening the store, and nothing else.
func BenchmarkStoreOpen(b *testing.B) {
	dir := b.TempDir()
	storeFill(b, dir, 0, 10, false)
	b.ReportAllocs()
	for b.Loop() {
		s, err := OpenStore(dir)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// The first Get of a process: the whole base is checked, then opened.
func BenchmarkStoreOpenBase100k(b *testing.B) {
	dir := storeFolded100k(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := OpenStore(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok, err := s.Get(storeKey(5)); !ok || err != nil {
			b.Fatal(ok, err)
		}
		s.Close()
	}
}

// The check alone.
func BenchmarkStoreCheckBase100k(b *testing.B) {
	dir := storeFolded100k(b)
	ns, _, _ := numbered(filepath.Join(dir, baseDir))
	s := storeOpen(b, dir)
	text, err := os.ReadFile(filepath.Join(s.baseDir(ns[0]), listFile))
	if err != nil {
		b.Fatal(err)
	}
	l, err := parseList(string(text))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(l.bytes())
	b.ReportAllocs()
	for b.Loop() {
		if err := l.check(s.baseDir(ns[0])); err != nil {
			b.Fatal(err)
		}
	}
}

// The first Get of a process that finds 5,000 records in segments.
func BenchmarkStoreReadSegments5k(b *testing.B) {
	dir := b.TempDir()
	w := storeOpen(b, dir)
	for i := range 5000 {
		storePut(b, w, storeKey(i), storeReply(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := OpenStore(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok, err := s.Get(storeKey(5)); !ok || err != nil {
			b.Fatal(ok, err)
		}
		s.Close()
	}
}
