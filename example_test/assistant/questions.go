package assistant

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed questions.json
var questionsJSON []byte

// A Question is one entry of questions.json: a question to the assistant and
// a reference answer written from the documents.
type Question struct {
	Name      string   `json:"name"`
	Tags      []string `json:"tags"`
	Question  string   `json:"question"`
	Reference string   `json:"reference"`
}

// Questions returns the questions of questions.json in order.
func Questions() ([]Question, error) {
	var questions []Question
	if err := json.Unmarshal(questionsJSON, &questions); err != nil {
		return nil, fmt.Errorf("assistant: questions.json: %w", err)
	}
	return questions, nil
}
