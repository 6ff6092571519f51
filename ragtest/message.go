package ragtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Message is one turn of a conversation. In JSON the role may be called "type",
// as in Ragas.
type Message struct {
	Role    string `json:"role"` // "user", "assistant", or what the dataset calls them
	Content string `json:"content"`
}

// UnmarshalJSON reads a message with its role, under either name. A message
// without content, such as a call of a tool, has an empty one.
func (m *Message) UnmarshalJSON(b []byte) error {
	var r struct {
		Role, Type *string
		Content    string
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("expected a message such as {\"role\":\"user\",\"content\":\"…\"}, got %s", cut(string(b), 80))
	}
	if r.Role == nil {
		r.Role = r.Type
	}
	if r.Role == nil {
		return fmt.Errorf("a message has a \"role\" or \"type\", got %s", cut(string(b), 80))
	}
	*m = Message{*r.Role, r.Content}
	return nil
}

// transcript is a conversation for people to read.
func transcript(messages []Message) string {
	lines := make([]string, len(messages))
	for i, m := range messages {
		lines[i] = m.Role + ": " + m.Content
	}
	return strings.Join(lines, "\n")
}

// UnmarshalJSON reads a sample. Ragas calls both a question and a conversation
// "user_input": a text is the question, a list is the messages. A sample that has
// both has the messages in "conversation".
func (s *Sample) UnmarshalJSON(b []byte) error {
	type fields Sample
	r := struct {
		*fields
		UserInput    json.RawMessage `json:"user_input"`
		Conversation []Message       `json:"conversation"`
	}{fields: (*fields)(s)}
	if err := json.Unmarshal(b, &r); err != nil {
		return inSample(err, "")
	}
	if strings.HasPrefix(string(r.UserInput), "[") {
		if r.Conversation != nil {
			return errors.New("a sample has one conversation, got two: \"user_input\" and \"conversation\"")
		}
		return inSample(json.Unmarshal(r.UserInput, &s.Messages), "user_input")
	}
	if r.Conversation != nil {
		s.Messages = r.Conversation
	}
	if r.UserInput == nil {
		return nil
	}
	return inSample(json.Unmarshal(r.UserInput, &s.UserInput), "user_input")
}

// inSample has an error of the decoder name the field as it would if Sample had
// no decoder of its own.
func inSample(err error, field string) error {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) {
		e.Struct = "Sample"
		e.Field = strings.TrimPrefix(e.Field, "fields.")
		if field != "" {
			e.Field = field
		}
	}
	return err
}

// MarshalJSON writes what UnmarshalJSON reads.
func (s Sample) MarshalJSON() ([]byte, error) {
	type fields Sample
	switch {
	case len(s.Messages) == 0:
		return marshal(fields(s))
	case s.UserInput == "":
		return marshal(struct {
			fields
			Messages []Message `json:"user_input"`
		}{fields(s), s.Messages})
	}
	return marshal(struct {
		fields
		Messages []Message `json:"conversation"`
	}{fields(s), s.Messages})
}
