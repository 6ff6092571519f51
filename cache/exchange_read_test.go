package cache_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// Whoever reads a recording gets what is on its lines, or what is wrong with them.
func TestReadExchange(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile("../example_test/quickstart/testdata/ragtest/judge.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	line := bytes.TrimSpace(bytes.Split(text, []byte("\n"))[0])
	x, err := cache.ReadExchange(line)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(x.Step).To(Equal("verify/v2"))
	g.Expect(x.Identity).To(Equal("llama.cpp b10068"))
	g.Expect(x.Parts).To(HaveKeyWithValue("model", "qwen2.5-coder-1.5b"))
	_, err = cache.ParseKey(x.Key)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(x.Request).To(HaveLen(64))
	g.Expect(string(line)).To(HaveSuffix(`"sum":"` + x.Sum + `"}`))
	for damage, want := range map[string]string{
		string(line[:len(line)-3]): "is torn: it does not end in a checksum",
		string(bytes.Replace(line, []byte("supported"), []byte("supporte_"), 1)): "was changed after it was recorded: its checksum is ",
	} {
		_, err := cache.ReadExchange([]byte(damage))
		g.Expect(err).To(MatchError(HavePrefix(want)))
	}
	g.Expect(cache.TextDigest("abc")).To(Equal("ba7816bf8f01"), "of SHA-256")
}

// A line that adds up, of a request that is none, was made by nobody.
func TestReadExchangeOfNoRequest(t *testing.T) {
	g := NewWithT(t)
	key := sha256.New()
	for _, field := range []string{"ragtest/1", "here", "abc", "0"} {
		_ = binary.Write(key, binary.BigEndian, uint64(len(field)))
		key.Write([]byte(field))
	}
	line := fmt.Sprintf(`{"k":"%x","step":"s","by":"here","reply":{},"request":"abc"`, key.Sum(nil)[:16])
	sum := sha256.Sum256([]byte(line))
	line += fmt.Sprintf(`,"sum":"%x"}`, sum[:8])
	_, err := cache.ReadExchange([]byte(line))
	g.Expect(err).To(MatchError(`has the request "abc", expected the SHA-256 of one`))
}
