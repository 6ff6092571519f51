package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Key names one exchange: a hash over everything that can change the reply,
// and over nothing else. See [Request.Key] for what goes in.
type Key [16]byte

// keyVersion opens every hash. A release that hashed something else under the
// same name would orphan every recording, so a new way of hashing gets a new
// version and the old one goes on being read.
const keyVersion = "ragtest/1"

// String returns k as 32 hexadecimal digits, the form recordings use.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads the 32 hexadecimal digits that [Key.String] writes.
func ParseKey(s string) (Key, error) {
	var k Key
	if len(s) != hex.EncodedLen(len(k)) {
		return k, fmt.Errorf("cache: key %q has %d characters, not %d", s, len(s), hex.EncodedLen(len(k)))
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return k, fmt.Errorf("cache: key %q is not hexadecimal: %w", s, err)
	}
	return k, nil
}

// MarshalText gives JSON the form of String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKey(string(text))
	return err
}

// digest is the full SHA-256 of b; requests are identified by it.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keyOf hashes the version, identity, request digest and trial, each with its
// length before it, so that no two different inputs spell the same bytes.
func keyOf(identity, request string, trial int) Key {
	h := sha256.New()
	field := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	field(keyVersion)
	field(identity)
	field(request)
	field(fmt.Sprint(trial))
	var k Key
	copy(k[:], h.Sum(nil))
	return k
}
