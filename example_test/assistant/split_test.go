package assistant

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSplit(t *testing.T) {
	text := "One two. Three, 1.40 euros four?\nFive!\n\nSix seven."
	for _, test := range []struct {
		name     string
		splitter Splitter
		want     []string
	}{
		{"paragraphs", Splitter{}, []string{"One two. Three, 1.40 euros four?\nFive!", "Six seven."}},
		{"sentences", Splitter{Unit: Sentences}, []string{"One two.", "Three, 1.40 euros four?", "Five!", "Six seven."}},
		{"sentences that overlap", Splitter{Unit: Sentences, Size: 3, Overlap: 2}, []string{"One two. Three, 1.40 euros four? Five!", "Three, 1.40 euros four? Five! Six seven."}},
		{"a rest", Splitter{Unit: Sentences, Size: 3}, []string{"One two. Three, 1.40 euros four? Five!", "Six seven."}},
		{"words", Splitter{Unit: Words, Size: 4}, []string{"One two. Three, 1.40", "euros four? Five! Six", "seven."}},
		{"all", Splitter{Unit: Words, Size: 100}, []string{"One two. Three, 1.40 euros four? Five! Six seven."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			chunks, err := test.splitter.Split(Document{Name: "d", Title: "T", Text: text})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, c := range chunks {
				if want := fmt.Sprintf("d#%d", i+1); c.ID != want {
					t.Errorf("ID %q, want %q", c.ID, want)
				}
				got = append(got, strings.TrimPrefix(c.Text, "T: "))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("chunks %q, want %q", got, test.want)
			}
		})
	}
}

func TestSplitRefusesAnEndlessOverlap(t *testing.T) {
	for _, overlap := range []int{-1, 2, 3} {
		if _, err := (Splitter{Size: 2, Overlap: overlap}).Split(Document{}); err == nil {
			t.Errorf("overlap %d of 2 was accepted", overlap)
		}
	}
}

func TestDocuments(t *testing.T) {
	got, err := Documents(fstest.MapFS{
		"b.md":      {Data: []byte("# B and more\r\n\r\nOne.\r\n\r\nTwo.\r\n")},
		"a.md":      {Data: []byte("# A\n\nThree.\n")},
		"notes.txt": {Data: []byte("no document")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{{"a", "A", "Three."}, {"b", "B and more", "One.\n\nTwo."}}
	if !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
}
