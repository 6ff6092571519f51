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

func checkVector(v []float32) error {
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

func unpackVector(s string) ([]float64, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b)%4 != 0 {
		return nil, fmt.Errorf("%w: the recorded vector is no float32s in base64", ErrBadVector)
	}
	v32, v := make([]float32, len(b)/4), make([]float64, len(b)/4)
	for i := range v {
		v32[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		v[i] = float64(v32[i])
	}
	return v, checkVector(v32)
}

// sameVector reports whether two recorded vectors are one but for rounding: the
// same text embedded on another processor, or in another batch, differs in the
// last bits.
func sameVector(a, b json.RawMessage) bool {
	var texts [2]string
	var vectors [2][]float64
	for i, raw := range []json.RawMessage{a, b} {
		if json.Unmarshal(raw, &texts[i]) != nil {
			return false
		}
		v, err := unpackVector(texts[i])
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
