package cache

import (
	"encoding/json"
	"strings"
)

// Request is a question to a model, as far as the cache is concerned.
type Request struct {
	// Kind names the file that the exchange is recorded in, without its
	// ending: "judge", "embeddings".
	Kind string
	// Identity names who answers. Two endpoints that serve different models
	// under one name must differ here.
	Identity string
	// Body is the whole request in one fixed spelling: everything that is sent
	// and can change the reply.
	Body []byte
	// Trial numbers independent draws of the same request, from 0.
	Trial int

	// Step names what the request is for, with its version: "verify/v1". Step,
	// About and Parts are for people: they are recorded, and explain a miss.
	// They follow from Body and are no part of the key.
	Step string
	// About is what a reviewer of the recording wants to read: the claims, the
	// question.
	About string
	// Parts are the things that Body was made of.
	Parts []Part

	// Same reports whether two replies are one but for rounding, as vectors from
	// two processors are; nil compares the bytes. Two recorded replies that are
	// not the same are a conflict.
	Same func(a, b json.RawMessage) bool
	// Differs reports whether a reply that was asked for again means something
	// else than the recorded one; nil compares the bytes. Only [Verify] needs
	// it.
	Differs func(recorded, now json.RawMessage) bool

	hash *requestHash // set by hashed, so that a large body is hashed once
}

type requestHash struct {
	key  Key
	body string // the digest of Body
}

// hashed returns r with its hash.
func (r Request) hashed() Request {
	if r.hash == nil {
		body := digest(r.Body)
		r.hash = &requestHash{keyOf(r.Identity, body, r.Trial), body}
	}
	return r
}

// Part is one thing that a request was made of. When a request is missed, the
// parts tell what changed.
type Part struct {
	Name  string // as recorded: "context 2"
	Value string // short, recorded as it is
	Label string // what the asker calls it, if that differs: "the answer"

	text string // recorded as a digest, which a hit does not need
	long bool
}

// TextPart is a [Part] for a text, of which only a digest is recorded.
func TextPart(name, label, text string) Part {
	return Part{Name: name, Label: label, text: text, long: true}
}

// recorded returns what a line has of p.
func (p Part) recorded() string {
	if p.long {
		return TextDigest(p.text)
	}
	return p.Value
}

// TextDigest is what a recording has in place of a text that a request was made of:
// the beginning of its SHA-256.
func TextDigest(text string) string { return digest([]byte(text))[:12] }

// Key returns the first 128 bits of the SHA-256 over the version of this
// scheme, r.Identity, the SHA-256 of r.Body in hexadecimal, and r.Trial in
// decimal, each preceded by its length in eight bytes, big-endian.
func (r Request) Key() Key { return r.hashed().hash.key }

// digest returns the SHA-256 of r.Body in hexadecimal.
func (r Request) digest() string { return r.hashed().hash.body }

// stepName returns the name in "name/version". The step of a [Transport], such
// as "POST /v1/embeddings", has no version.
func stepName(s string) string {
	if strings.Contains(s, " /") {
		return s
	}
	name, _, _ := strings.Cut(s, "/")
	return name
}
