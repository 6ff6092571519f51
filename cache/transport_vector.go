package cache

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A vector is recorded as one object with one member: its float32s, each four
// bytes, little-endian, in base64. The name tells how the server spelled them,
// as a float32 is written with other digits when it is taken for a float64.
const (
	shortVector = `{"$float32":"` // in the fewest digits that give the float32
	longVector  = `{"$float64":"` // in the fewest digits that give the same number as a float64
	endVector   = `"}`
)

// leastPacked is the length from which an array is taken for a vector.
const leastPacked = 16

// packVectors replaces the arrays of numbers in valid JSON whose elements are
// float32s, as those of embeddings are. It reports whether there were any.
// Every number comes back with the same value, though perhaps with other
// digits: 1e-5 for 0.00001.
func packVectors(valid []byte) ([]byte, bool) {
	if bytes.Contains(valid, []byte(`"$float`)) {
		return nil, false
	}
	var out []byte
	kept := 0
	for at := 0; at < len(valid); {
		switch valid[at] {
		case '"':
			at = behindString(valid, at)
		case '[':
			packed, end := packVector(valid, at)
			if packed != nil {
				out = append(append(out, valid[kept:at]...), packed...)
				at, kept = end, end
				continue
			}
			at++
		default:
			at++
		}
	}
	if out == nil {
		return nil, false
	}
	return append(out, valid[kept:]...), true
}

func behindString(valid []byte, at int) int {
	for at++; valid[at] != '"'; at++ {
		if valid[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// packVector packs the array that begins at at, and returns where it ends.
func packVector(valid []byte, at int) ([]byte, int) {
	end := at + 1
	for strings.IndexByte("0123456789+-.eE, \t\r\n", valid[end]) >= 0 {
		end++
	}
	if valid[end] != ']' {
		return nil, 0
	}
	fields := strings.Split(string(valid[at+1:end]), ",")
	if len(fields) < leastPacked || !strings.ContainsAny(string(valid[at:end]), ".eE") {
		return nil, 0
	}
	short, long := true, true
	raw := make([]byte, 0, 4*len(fields))
	for _, f := range fields {
		x, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil {
			return nil, 0
		}
		y := float32(x)
		short = short && same(x, y, 32)
		long = long && same(x, y, 64)
		if !short && !long {
			return nil, 0
		}
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(y))
	}
	begin := shortVector
	if !short {
		begin = longVector
	}
	return []byte(begin + base64.StdEncoding.EncodeToString(raw) + endVector), end + 1
}

// same reports whether y, written in the digits of so many bits, gives x.
func same(x float64, y float32, bits int) bool {
	back, err := strconv.ParseFloat(spellFloat(y, bits), 64)
	return err == nil && math.Float64bits(back) == math.Float64bits(x)
}

func spellFloat(y float32, bits int) string { return strconv.FormatFloat(float64(y), 'g', -1, bits) }

// unpackVectors undoes packVectors.
func unpackVectors(packed []byte) ([]byte, error) {
	var out []byte
	kept := 0
	for at := 0; at < len(packed); {
		bits := 0
		switch {
		case packed[at] == '"':
			at = behindString(packed, at)
			continue
		case bytes.HasPrefix(packed[at:], []byte(shortVector)):
			bits = 32
		case bytes.HasPrefix(packed[at:], []byte(longVector)):
			bits = 64
		default:
			at++
			continue
		}
		text, _, _ := bytes.Cut(packed[at+len(shortVector):], []byte(endVector))
		raw, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil || len(raw)%4 != 0 {
			return nil, fmt.Errorf("cache: the recorded reply has a vector that is no float32s in base64")
		}
		out = append(append(out, packed[kept:at]...), '[')
		for i := 0; i < len(raw); i += 4 {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, spellFloat(math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])), bits)...)
		}
		out = append(out, ']')
		at += len(shortVector) + len(text) + len(endVector)
		kept = at
	}
	return append(out, packed[kept:]...), nil
}
