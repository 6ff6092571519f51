package cache_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// Keys and sources are read by other programs, under their words.
func TestKeysAndSourcesInJSON(t *testing.T) {
	g := NewWithT(t)
	type pair struct {
		Key    cache.Key
		Source cache.Source
	}
	key := cache.Request{Identity: "i", Body: []byte("b")}.Key()
	for source, word := range map[cache.Source]string{cache.Asked: "asked", cache.Recorded: "recorded", cache.Stored: "stored"} {
		text, err := json.Marshal(pair{key, source})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(text)).To(Equal(`{"Key":"` + key.String() + `","Source":"` + word + `"}`))
		var back pair
		g.Expect(json.Unmarshal(text, &back)).To(Succeed())
		g.Expect(back).To(Equal(pair{key, source}))
		g.Expect(source.String()).To(Equal(word))
	}
	var p pair
	g.Expect(json.Unmarshal([]byte(`{"Key":"12"}`), &p)).To(MatchError(`cache: key "12" has 2 characters, not 32`))
	g.Expect(json.Unmarshal([]byte(`{"Source":"Asked"}`), &p)).To(MatchError(`cache: the source of a reply is "Asked", expected asked, recorded or stored`))
}
