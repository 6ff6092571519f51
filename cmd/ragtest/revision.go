package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sidesOf reads what is compared: two files or folders, or one or two revisions
// with the paths to look in. One revision is compared with the working tree.
func sidesOf(args, paths []string) (before, after side, err error) {
	if len(args) == 2 && len(paths) == 0 {
		found := 0
		for _, a := range args {
			if _, err := os.Stat(a); err == nil {
				found++
			}
		}
		if found == 2 {
			return twoPaths(args[0], args[1])
		}
		if found == 1 {
			return nil, nil, wrong("diff: %s and %s: expected two files or folders, or revisions and then -- and the paths to look in", args[0], args[1])
		}
	}
	from, to := args[0], ""
	if len(args) == 2 {
		to = args[1]
	} else if a, b, ok := strings.Cut(args[0], ".."); ok {
		from, to = a, strings.TrimPrefix(b, ".")
		if from == "" {
			from = "HEAD"
		}
		if to == "" {
			to = "HEAD"
		}
	}
	if before, err = revision(from, paths); err != nil {
		return nil, nil, err
	}
	if to == "" {
		after, err = workingTree(paths)
	} else {
		after, err = revision(to, paths)
	}
	if err == nil && len(before) == 0 && len(after) == 0 {
		err = fmt.Errorf("%w on either side, expected testdata/ragtest/*.jsonl", errNoRecordings)
	}
	return before, after, err
}

// twoPaths reads two files, or the files of two folders by their names.
func twoPaths(a, b string) (before, after side, err error) {
	if before, err = pathSide(a); err != nil {
		return nil, nil, err
	}
	after, err = pathSide(b)
	return before, after, err
}

// pathSide reads a file, or what lies in a folder, or else all that lies below it:
// the files of two checkouts have the same names from there.
func pathSide(path string) (side, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	name := func(string) string { return "" }
	args := path
	if info.IsDir() {
		name = filepath.Base
		files, err := recordingsIn(path)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			args = filepath.ToSlash(path) + "/..."
			name = func(file string) string {
				return strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(filepath.Clean(path)))
			}
		}
	}
	recordings, err := readRecordings([]string{args})
	if err != nil {
		return nil, err
	}
	s := side{}
	for _, r := range recordings {
		s[name(r.file)] = r
	}
	return s, nil
}

// workingTree reads the recordings as they are, under the names that a revision
// has for them.
func workingTree(paths []string) (side, error) {
	if len(paths) == 0 {
		paths = []string{"./..."}
	}
	s := side{}
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(p, "...") {
			continue // it was removed, which is a difference
		}
		if err == nil && info.IsDir() {
			p = strings.TrimSuffix(filepath.ToSlash(p), "/") + "/..."
		}
		recordings, err := readRecordings([]string{p})
		if errors.Is(err, errNoRecordings) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range recordings {
			s[filepath.ToSlash(r.file)] = r
		}
	}
	return s, nil
}

// revision reads the recordings of a revision, below the folder that the command
// is run in or in paths.
func revision(name string, paths []string) (side, error) {
	commit, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("%q is neither a file nor a revision: %w", name, err)
	}
	args := []string{"ls-tree", "-r", "-z", "--name-only", strings.TrimSpace(string(commit)), "--"}
	for _, p := range paths {
		args = append(args, strings.TrimSuffix(strings.TrimSuffix(p, "..."), "/"))
	}
	list, err := git(args...)
	if err != nil {
		return nil, err
	}
	s := side{}
	for file := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if !isRecording(file) && !contains(paths, file) {
			continue
		}
		text, err := git("show", strings.TrimSpace(string(commit))+":./"+file)
		if err != nil {
			return nil, err
		}
		s[file] = parseRecording(name+":"+file, text)
	}
	return s, nil
}

// contains reports whether a file is one of paths.
func contains(paths []string, file string) bool {
	for _, p := range paths {
		if filepath.ToSlash(filepath.Clean(p)) == file {
			return true
		}
	}
	return false
}

func git(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(told.String()); text != "" {
			return nil, fmt.Errorf("git %s: %s", args[0], text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}
