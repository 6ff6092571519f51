package assistant

import (
	"fmt"
	"regexp"
	"strings"
)

// A Chunk is a piece of a document, headed by the document's title.
type Chunk struct {
	ID   string // document name and number of the chunk, as in "prices#2"
	Text string
}

// A Splitter cuts documents into chunks of a number of units. The zero value
// makes each paragraph a chunk.
type Splitter struct {
	Unit    func(text string) []string // Paragraphs, Sentences or Words; nil means Paragraphs
	Size    int                        // how many units a chunk has; 0 means 1
	Overlap int                        // how many of them are those that the chunk before ends with
}

// Split returns the chunks of a document in order. They never reach into another
// document.
func (s Splitter) Split(d Document) ([]Chunk, error) {
	if s.Unit == nil {
		s.Unit = Paragraphs
	}
	if s.Size == 0 {
		s.Size = 1
	}
	if s.Overlap < 0 || s.Overlap >= s.Size {
		return nil, fmt.Errorf("chunks of %d units cannot overlap by %d: an overlap is from 0 to the size less 1", s.Size, s.Overlap)
	}
	units := s.Unit(d.Text)
	var chunks []Chunk
	for from, to := 0, 0; to < len(units); from += s.Size - s.Overlap {
		to = min(from+s.Size, len(units))
		chunks = append(chunks, Chunk{
			ID:   fmt.Sprintf("%s#%d", d.Name, len(chunks)+1),
			Text: d.Title + ": " + strings.Join(units[from:to], " "),
		})
	}
	return chunks, nil
}

// Paragraphs returns the paragraphs of a text.
func Paragraphs(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") }

// Sentences returns the sentences of a text.
func Sentences(text string) []string {
	return strings.Split(sentenceEnd.ReplaceAllString(strings.TrimSpace(text), "$1\x00"), "\x00")
}

var sentenceEnd = regexp.MustCompile(`([.!?])\s+`)

// Words returns the words of a text.
func Words(text string) []string { return strings.Fields(text) }
