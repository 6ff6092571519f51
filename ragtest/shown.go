package ragtest

import (
	"fmt"

	"github.com/ragomega/ragomega/cache"
)

// shown are the texts of a sample as a judge sees them who decides by words of
// the user: all that there are, under their names in JSON, which those words may
// speak of.
type shown struct {
	UserInput         string   `json:"user_input,omitempty"`
	Response          string   `json:"response"`
	RetrievedContexts []string `json:"retrieved_contexts,omitempty"`
	Reference         string   `json:"reference,omitempty"`
	ReferenceContexts []string `json:"reference_contexts,omitempty"`
}

// show leaves out what is blank, as an empty text would be judged as one.
func show(s Sample) shown {
	v := shown{Response: s.Response}
	if needQuestion(s) == nil {
		v.UserInput = s.UserInput
	}
	if needContexts(s) == nil {
		v.RetrievedContexts = s.RetrievedContexts
	}
	if needReference(s) == nil {
		v.Reference = s.Reference
	}
	if needTexts("ReferenceContexts", s.ReferenceContexts) == nil {
		v.ReferenceContexts = s.ReferenceContexts
	}
	return v
}

// parts are the texts that are shown.
func (v shown) parts() []cache.Part {
	parts := []cache.Part{cache.TextPart("answer", "the answer", v.Response)}
	if v.UserInput != "" {
		parts = append(parts, cache.TextPart("question", "the question", v.UserInput))
	}
	parts = append(parts, textParts("context", v.RetrievedContexts)...)
	if v.Reference != "" {
		parts = append(parts, cache.TextPart("reference", "the reference", v.Reference))
	}
	return append(parts, textParts("reference context", v.ReferenceContexts)...)
}

// textParts are the texts of a list, each under its number.
func textParts(name string, texts []string) []cache.Part {
	parts := make([]cache.Part, len(texts))
	for i, t := range texts {
		n := fmt.Sprintf("%s %d", name, i+1)
		parts[i] = cache.TextPart(n, n, t)
	}
	return parts
}
