package ragtest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	openai "github.com/sashabaranov/go-openai"
)

// inOrder sorts vectors by their index. Servers that leave it out send zeros:
// then the order is what they sent, if the number is right.
func inOrder(data []openai.Embedding, n int) ([][]float32, error) {
	if len(data) != n {
		return nil, fmt.Errorf("%w: %d vectors came for %d texts", ErrBadVector, len(data), n)
	}
	numbered := false
	for _, d := range data {
		numbered = numbered || d.Index != 0
	}
	vectors := make([][]float32, n)
	for i, d := range data {
		at := i
		if numbered {
			at = d.Index
		}
		if at < 0 || at >= n || vectors[at] != nil {
			return nil, fmt.Errorf("%w: index %d is out of range or came twice for %d texts", ErrBadVector, d.Index, n)
		}
		if err := checkVector(d.Embedding); err != nil {
			return nil, err
		}
		vectors[at] = d.Embedding
	}
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("%w: vector %d has %d dimensions, vector 1 has %d", ErrBadVector, i+1, len(v), len(vectors[0]))
		}
	}
	return vectors, nil
}

func checkVector[F float32 | float64](v []F) error {
	if len(v) == 0 {
		return fmt.Errorf("%w: it is empty", ErrBadVector)
	}
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%w: component %d is %v", ErrBadVector, i, x)
		}
	}
	return nil
}

// packVector writes a vector as it is recorded: its float32s, little-endian, in
// base64. That is exact, and a fraction of the decimals' length.
func packVector(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// unpackVector reads a vector as it is recorded: a JSON string.
func unpackVector(raw json.RawMessage) ([]float64, error) {
	bad := fmt.Errorf("%w: the recorded vector is no float32s in base64", ErrBadVector)
	if len(raw) < 2 || raw[0] != '"' {
		return nil, bad
	}
	packed := raw[1 : len(raw)-1]
	v := make([]float64, 0, base64.StdEncoding.DecodedLen(len(packed))/4)
	var buf [768]byte // of 1,024 characters: whole numbers in both
	for len(packed) > 0 {
		part := packed[:min(len(packed), 1024)]
		packed = packed[len(part):]
		n, err := base64.StdEncoding.Decode(buf[:], part)
		if err != nil || n%4 != 0 {
			return nil, bad
		}
		for i := 0; i < n; i += 4 {
			v = append(v, float64(math.Float32frombits(binary.LittleEndian.Uint32(buf[i:]))))
		}
	}
	return v, checkVector(v)
}

// sameVector reports whether two recorded vectors are one but for rounding: the
// same text embedded on another processor, or in another batch, differs in the
// last bits.
func sameVector(a, b json.RawMessage) bool {
	var vectors [2][]float64
	for i, raw := range []json.RawMessage{a, b} {
		v, err := unpackVector(raw)
		if err != nil {
			return false
		}
		vectors[i] = v
	}
	if len(vectors[0]) != len(vectors[1]) {
		return false
	}
	var square, distance float64
	for i, x := range vectors[0] {
		d := x - vectors[1][i]
		square += x * x
		distance += d * d
	}
	return distance <= 1e-10*square
}
