package cache_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/cache"
)

func benchPlace(b *testing.B) place {
	b.Helper()
	return place{b.TempDir(), b.TempDir()}
}

func (p place) mustOpen(b *testing.B, mode cache.Mode) *cache.Cache {
	b.Helper()
	c, err := cache.Open(cache.Options{Dir: p.dir, Home: p.home, Mode: mode})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// judging is a request of 4 KB with a reply of 1 KB, as a verification has.
func judging(i int) (cache.Request, cache.Reply) {
	r := asking(fmt.Sprint(i))
	r.Body = append(bytes.Repeat([]byte("context "), 500), fmt.Sprint(i)...)
	verdict := `{"claim":1,"quote":"` + strings.Repeat("q", 100) + `","reason":"` + strings.Repeat("r", 60) + `","supported":true}`
	return r, cache.Reply{Value: json.RawMessage(`{"verdicts":[` + strings.Join([]string{verdict, verdict, verdict, verdict}, ",") + `]}`)}
}

func BenchmarkKey4KB(b *testing.B) {
	r, _ := judging(0)
	b.SetBytes(int64(len(r.Body)))
	b.ReportAllocs()
	for b.Loop() {
		_ = r.Key()
	}
}

// BenchmarkHitRecording compares with the least that a hit must do: hash the
// request, and decode the line.
func BenchmarkHitRecording(b *testing.B) {
	p := benchPlace(b)
	c := p.mustOpen(b, cache.Auto)
	r, reply := judging(0)
	fill := func(context.Context) (cache.Reply, error) { return reply, nil }
	if _, err := c.Do(b.Context(), r, fill); err != nil {
		b.Fatal(err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	line, err := os.ReadFile(p.file())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Do", func(b *testing.B) {
		b.ReportAllocs()
		c := p.mustOpen(b, cache.Replay)
		for b.Loop() {
			if _, err := c.Do(b.Context(), r, fill); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = sha256.Sum256(r.Body)
			var x struct {
				K, Step, By, About, Request, Sum string
				Reply                            json.RawMessage
				Parts                            map[string]string
			}
			if err := json.Unmarshal(line, &x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpenRecording reads a recording of 10,000 embeddings with 768
// dimensions, and takes one reply from it.
func BenchmarkOpenRecording(b *testing.B) {
	p := benchPlace(b)
	var text bytes.Buffer
	vector := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1, 2, 3, 4}, 768))
	// One real line gives the form of all.
	c := p.mustOpen(b, cache.Auto)
	_, err := c.Do(b.Context(), asking("0"), func(context.Context) (cache.Reply, error) {
		return cache.Reply{Value: json.RawMessage(`"` + vector + `"`)}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	line, err := os.ReadFile(p.file())
	if err != nil {
		b.Fatal(err)
	}
	first := asking("0").Key().String()
	for i := range 10_000 {
		text.Write(bytes.Replace(line, []byte(first), []byte(asking(fmt.Sprint(i)).Key().String()), 1))
	}
	if err := os.WriteFile(p.file(), text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	b.Run("Do", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		b.ReportAllocs()
		for b.Loop() {
			c := p.mustOpen(b, cache.Replay)
			if _, err := c.Do(b.Context(), asking("0"), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) { // read the file and find its lines
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			t, err := os.ReadFile(p.file())
			if err != nil || bytes.Count(t, []byte("\n")) != 10_000 {
				b.Fatal(err)
			}
		}
	})
}
