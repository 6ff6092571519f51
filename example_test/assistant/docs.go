package assistant

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed docs/*.md
var docs embed.FS

// A Document is one page of a help centre.
type Document struct {
	Name  string // as in "prices"
	Title string
	Text  string // paragraphs with blank lines between them
}

// HelpCentre returns the documents in docs in order of their names.
func HelpCentre() ([]Document, error) {
	folder, err := fs.Sub(docs, "docs")
	if err != nil {
		return nil, err
	}
	return Documents(folder)
}

// Documents returns the Markdown files of a folder in order of their names. The
// first line of each is its title, "# Prices".
func Documents(folder fs.FS) ([]Document, error) {
	names, err := fs.Glob(folder, "*.md")
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		content := strings.ReplaceAll(string(data), "\r\n", "\n")
		title, text, _ := strings.Cut(content, "\n")
		all = append(all, Document{
			Name:  strings.TrimSuffix(name, ".md"),
			Title: strings.TrimPrefix(title, "# "),
			Text:  strings.TrimSpace(text),
		})
	}
	return all, nil
}
