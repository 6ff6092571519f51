package cache

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// baseList is what LIST says.
type baseList struct {
	records int    // keys in the base
	gen     uint64 // the highest generation among them
	files   []baseFile
}

// baseFile is one file of a base.
type baseFile struct {
	name string
	size int64
	sum  uint32
}

// bytes returns the size of all files.
func (l baseList) bytes() (n int64) {
	for _, f := range l.files {
		n += f.size
	}
	return n
}

// String is the text of LIST; its last line is a checksum of the others.
func (l baseList) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nrecords %d\ngeneration %d\n", listFormat, l.records, l.gen)
	for _, f := range l.files {
		fmt.Fprintf(&b, "file %s %d %08x\n", f.name, f.size, f.sum)
	}
	fmt.Fprintf(&b, "sum %08x\n", crc32.Checksum([]byte(b.String()), castagnoli))
	return b.String()
}

// errListFormat reports a LIST of a release this one does not know. Such a base
// is left alone.
var errListFormat = errors.New("another release wrote it")

// parseList reads what String writes.
func parseList(text string) (l baseList, err error) {
	if first, _, _ := strings.Cut(text, "\n"); first != listFormat {
		if strings.HasPrefix(first, "ragtest base ") && strings.HasSuffix(text, "\n") {
			return l, errListFormat
		}
		return l, fmt.Errorf("%s begins with %.40q", listFile, first)
	}
	cut := strings.LastIndex(text, "\nsum ") + 1
	if want := fmt.Sprintf("sum %08x\n", crc32.Checksum([]byte(text[:cut]), castagnoli)); text[cut:] != want {
		return l, fmt.Errorf("%s has a wrong checksum", listFile)
	}
	for _, line := range strings.Split(text[:cut], "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "records":
			_, err = fmt.Sscan(rest, &l.records)
		case "generation":
			_, err = fmt.Sscan(rest, &l.gen)
		case "file":
			var f baseFile
			_, err = fmt.Sscanf(rest, "%s %d %x", &f.name, &f.size, &f.sum)
			l.files = append(l.files, f)
		}
		if err != nil {
			return l, fmt.Errorf("%s: %q: %w", listFile, line, err)
		}
	}
	return l, nil
}

// check compares the files in dir with l, every byte of them. For 100,000
// records, 94 MB, it takes 30 to 40 ms with the files in memory (see
// BenchmarkStoreCheckBase100k), paid by a process whose first key is in no
// segment: less than one judge call, once.
func (l baseList) check(dir string) error {
	names, err := dirNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		known := func(f baseFile) bool { return f.name == name }
		if name != listFile && !strings.HasPrefix(name, ".") && !slices.ContainsFunc(l.files, known) {
			return fmt.Errorf("%s does not belong there", name)
		}
	}
	buf := make([]byte, copyBuffer)
	for _, want := range l.files {
		got, err := sumFile(filepath.Join(dir, want.name), io.Discard, buf)
		if err != nil {
			return err
		}
		if err := want.compare(got); err != nil {
			return err
		}
	}
	return nil
}

// compare says how got differs from f.
func (f baseFile) compare(got baseFile) error {
	if got.size != f.size {
		return fmt.Errorf("%s has %d bytes, not %d", f.name, got.size, f.size)
	}
	if got.sum != f.sum {
		return fmt.Errorf("%s has checksum %08x, not %08x", f.name, got.sum, f.sum)
	}
	return nil
}

const copyBuffer = 256 << 10

// sumFile reads a file to its end through buf, copying it to w.
func sumFile(path string, w io.Writer, buf []byte) (baseFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return baseFile{}, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	n, err := io.CopyBuffer(io.MultiWriter(sum, w), struct{ io.Reader }{f}, buf)
	return baseFile{filepath.Base(path), n, sum.Sum32()}, err
}

// unknownGen makes every look-up open the base.
const unknownGen = ^uint64(0)

// listedGen reads from LIST alone whether the base in dir can hold anything
// newer than a segment. Where LIST cannot be read, the base must be opened to
// find out.
func listedGen(dir string) uint64 {
	text, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil {
		return unknownGen
	}
	l, err := parseList(string(text))
	if err != nil {
		return unknownGen
	}
	return l.gen
}
