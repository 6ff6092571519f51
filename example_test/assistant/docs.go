package assistant

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed docs/*.md
var docs embed.FS

// A Chunk is one paragraph of a document, headed by the document's title.
type Chunk struct {
	ID   string // document name and paragraph number, as in "prices#2"
	Text string
}

// Chunks returns the paragraphs of the help centre in order of document name.
func Chunks() ([]Chunk, error) {
	names, err := fs.Glob(docs, "docs/*.md")
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	for _, name := range names {
		data, err := docs.ReadFile(name)
		if err != nil {
			return nil, err
		}
		paragraphs := strings.Split(strings.TrimSpace(string(data)), "\n\n")
		title := strings.TrimPrefix(paragraphs[0], "# ")
		doc := strings.TrimSuffix(path.Base(name), ".md")
		for i, p := range paragraphs[1:] {
			chunks = append(chunks, Chunk{ID: fmt.Sprintf("%s#%d", doc, i+1), Text: title + ": " + p})
		}
	}
	return chunks, nil
}
