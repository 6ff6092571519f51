package ragtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ReadSamples reads a file of samples, one JSON object a line. Fields that a
// [Sample] does not have are passed over; blank lines too. A line that cannot
// be read is an error that names file and line, and so is a name that occurs
// twice, as results could no longer be told apart.
func ReadSamples(file string) ([]Sample, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ragtest: the samples cannot be read: %w", err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var samples []Sample
	line := map[string]int{}
	for no := 1; len(text) > 0; no++ {
		t, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(bytes.TrimSpace(t)) == 0 {
			continue
		}
		var s Sample
		err := json.Unmarshal(t, &s)
		if err == nil && string(bytes.TrimSpace(t)) == "null" {
			err = errors.New("it is null")
		}
		if err != nil {
			return nil, fmt.Errorf("ragtest: %s:%d is not a sample: %w", file, no, err)
		}
		if before, ok := line[s.Name]; ok && s.Name != "" {
			return nil, fmt.Errorf("ragtest: %s:%d has the name %q of line %d; names must differ", file, no, s.Name, before)
		}
		line[s.Name] = no
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("ragtest: %s has no samples", file)
	}
	return samples, nil
}
