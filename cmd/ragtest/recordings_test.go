package main_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// recorded is a reply to a request, for record to keep.
type recorded struct {
	request cache.Request
	reply   string
}

// verification is a request to check claims against a context, and its reply.
func verification(prompt string, claims []string, context, reply string) recorded {
	return recorded{cache.Request{
		Kind: "judge", Identity: "host", Body: []byte(prompt + context + strings.Join(claims, "")),
		Step: "verify/v2", About: strings.Join(claims, " | "),
		Parts: []cache.Part{
			cache.TextPart("claims", "the claims", strings.Join(claims, "\x00")),
			cache.TextPart("context 1", "context 1", context),
			cache.TextPart("prompt", "the prompt", prompt),
			{Name: "model", Value: "m"},
		},
	}, reply}
}

// record has the library record replies in the folder of a test package, and
// returns the file.
func record(t *testing.T, dir string, all ...recorded) string {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: filepath.Join(dir, "testdata", "ragtest"), Home: t.TempDir(), Mode: cache.Auto})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		_, err := c.Do(t.Context(), r.request, func(context.Context) (cache.Reply, error) {
			return cache.Reply{Value: json.RawMessage(r.reply), Served: json.RawMessage(`{"in":30,"out":4}`)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "testdata", "ragtest", all[0].request.Kind+".jsonl")
}

// edit replaces a text in a file. With summed the checksums of its lines are made
// to fit, as they do where a reply was recorded again.
func edit(t *testing.T, file, old, now string, summed bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%q is not in %s", old, file)
	}
	var edited strings.Builder
	for line := range strings.Lines(strings.Replace(string(text), old, now, 1)) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.LastIndex(line, `,"sum":"`); summed && i > 0 {
			sum := sha256.Sum256([]byte(line[:i]))
			line = line[:i] + `,"sum":"` + hex.EncodeToString(sum[:])[:16] + `"}`
		}
		edited.WriteString(line + "\n")
	}
	if err := os.WriteFile(file, []byte(edited.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	examples   = "../../example_test"
	quickstart = examples + "/quickstart"
)

// Every line that the library ever recorded in this repository is read, and found
// to be sound: the command's reading of lines is that of the library.
func TestRecordingsOfTheRepositoryAreSound(t *testing.T) {
	g := NewWithT(t)
	r := command(t, "../..", "check", "./...", "ragtest/testdata/frozen/v1", "ragtest/testdata/agreement")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(MatchRegexp(`^\d{3,} lines in \d+ recordings: nothing found\n$`))
	var faults []any
	r = command(t, ".", "check", "--json", quickstart)
	r.read(g, &faults)
	g.Expect(faults).To(BeEmpty())
}

func TestLs(t *testing.T) {
	g := NewWithT(t)
	r := command(t, ".", "ls", quickstart)
	g.Expect(r).To(Equal(ran{out: quickstart + `/testdata/ragtest/judge.jsonl
  step       exchanges  tokens in  out  by
  claims/v2  1          311        28   qwen2.5-coder-1.5b at llama.cpp b10068
  verify/v2  1          529        42   qwen2.5-coder-1.5b at llama.cpp b10068
2 exchanges, 840+70 tokens
`}))
	// A folder, a file, an import path and a pattern name the same.
	for _, name := range []string{quickstart + "/testdata/ragtest", quickstart + "/testdata/ragtest/judge.jsonl", quickstart + "/..."} {
		g.Expect(command(t, ".", "ls", name)).To(Equal(r))
	}
	g.Expect(command(t, ".", "ls", "github.com/ragomega/ragomega/example_test/quickstart").out).To(HaveSuffix("2 exchanges, 840+70 tokens\n"))

	dir := t.TempDir()
	file := record(t, dir, verification("p", []string{"a"}, "c", `{"1":{"reason":"r","supported":true}}`))
	edit(t, file, `"reason":"r"`, `"reason":"s"`, false)
	r = command(t, dir, "ls")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.out).To(ContainSubstring("line 1 was changed after it was recorded: its checksum is "))
	var listed []struct {
		File  string
		Steps []struct{ Step string }
		Bad   []struct{ Line int }
	}
	command(t, dir, "ls", "--json").read(g, &listed)
	g.Expect(listed).To(HaveLen(1))
	g.Expect(listed[0].File).To(Equal("testdata/ragtest/judge.jsonl"))
	g.Expect(listed[0].Steps).To(BeEmpty())
	g.Expect(listed[0].Bad).To(HaveLen(1))
}

func TestShow(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	record(t, dir,
		verification("p", []string{"It is green.", "It is red."}, "c", `{"reply":{"1":{"reason":"It says so.","supported":true},"2":{"reason":"It does not.","supported":false}},"yes":{"1.supported":0.75}}`),
		verification("p", []string{"It is blue."}, "c", `{"1":{"reason":"It does not.","supported":false}}`))

	list := command(t, dir, "show", "verify")
	g.Expect(list.code).To(Equal(0))
	g.Expect(list.out).To(And(ContainSubstring("It is green. | It is red."), HaveSuffix("2 match; give more of a key, or --all\n")))

	var all []struct {
		Key   string `json:"k"`
		About string
		Line  int
	}
	command(t, dir, "show", "--json", "verify/v2").read(g, &all)
	g.Expect(all).To(HaveLen(2))
	for _, x := range all {
		if x.About != "It is blue." {
			r := command(t, dir, "show", strings.ToUpper(x.Key[:10]))
			g.Expect(r.code).To(Equal(0))
			g.Expect(r.out).To(And(
				HavePrefix(x.Key+"  verify/v2\n  in:      testdata/ragtest/judge.jsonl:"),
				ContainSubstring("\n  by:      m at host\n"),
				ContainSubstring(`served:  {"in":30,"out":4}`),
				ContainSubstring("parts:   claims "),
				ContainSubstring("    supported (P 0.750): It is green.\n      It says so.\n    unsupported: It is red.\n      It does not.\n"),
				ContainSubstring("\n        \"2\": {\n          \"reason\": \"It does not.\",\n")))
		}
	}
	every := command(t, dir, "show", "--all", "verify")
	g.Expect(strings.Count(every.out, "  reply:\n")).To(Equal(2))

	r := command(t, dir, "show", "useful")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.err).To(ContainSubstring(`no exchange has a key that begins with "useful"`))

	// One exchange of two packages is one; a vector is not printed.
	both := command(t, ".", "show", "01ea3480a280", examples+"/...")
	g.Expect(both.out).To(MatchRegexp(`\n  also in: \S+:3\n$`))
	g.Expect(command(t, ".", "show", "150197315d74", examples).out).To(HaveSuffix("…\" (4096 characters)\n"))
}

func TestCheckFinds(t *testing.T) {
	green := verification("p", []string{"It is green."}, "c", `{"1":{"reason":"r","supported":true}}`)
	for name, test := range map[string]struct {
		old, now string
		summed   bool
		args     []string
		kind     string
		why      string
	}{
		"a changed reply":     {`"supported":true`, `"supported":false`, false, nil, "damage", "changed after it was recorded"},
		"another trial":       {`"by":"host"`, `"by":"host","trial":1`, true, nil, "damage", "but its identity, request and trial give"},
		"another key":         {`"k":"`, `"k":"0`, true, nil, "damage", "key"},
		"a torn line":         {`,"sum":"`, `,"sum"`, false, nil, "damage", "torn"},
		"an API key":          {`"reason":"r"`, `"reason":"sk-proj-abcdefghijklmnopqrstuvwxyz"`, true, nil, "secret", `what looks like an API key (sk-…) stands in "reply": sk-pro…`},
		"a bearer token":      {`It is green.`, `Authorization: Bearer abcdefghijklmnopqrstuvwx`, true, nil, "secret", `a bearer token stands in "about"`},
		"a named key":         {`"reason":"r"`, `"reason":"api_key = 0123456789abcdef0123"`, true, nil, "secret", "an API key by its name"},
		"an address":          {`It is green.`, `Ask ada@example.com.`, true, []string{"--emails"}, "secret", `an address stands in "about": ada…`},
		"no address, unasked": {`It is green.`, `Ask ada@example.com.`, true, nil, "", ""},
		"a vector of letters": {`{"1":{"reason":"r","supported":true}}`, `"` + strings.Repeat("AKIAABCDEFGHIJKLMNOP/", 10) + `"`, true, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			edit(t, record(t, dir, green), test.old, test.now, test.summed)
			r := command(t, dir, append([]string{"check"}, test.args...)...)
			var faults []struct {
				File, Kind, Why string
				Line            int
			}
			command(t, dir, append([]string{"check", "-json"}, test.args...)...).read(g, &faults)
			if test.kind == "" {
				g.Expect(r).To(Equal(ran{out: "1 line in 1 recording: nothing found\n"}))
				g.Expect(faults).To(BeEmpty())
				return
			}
			g.Expect(r.code).To(Equal(1))
			g.Expect(r.out).To(And(
				HavePrefix("testdata/ragtest/judge.jsonl:1 "+test.kind+": "), ContainSubstring(test.why),
				HaveSuffix("1 line in 1 recording: "+test.kind+" 1\n")))
			g.Expect(r.out).NotTo(Or(ContainSubstring("abcdefghijkl"), ContainSubstring("0123456789")), "a secret is not repeated")
			g.Expect(faults).To(HaveLen(1))
			g.Expect(faults[0].Kind).To(Equal(test.kind))
			g.Expect(faults[0].Line).To(Equal(1))
		})
	}
}

func TestCheckFindsConflicts(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "judge.jsonl")
	g.Expect(os.WriteFile(file, []byte(merged), 0o644)).To(Succeed())
	r := command(t, dir, "check", "judge.jsonl")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.out).To(Equal("judge.jsonl:2 conflict: lines 1 and 2 have different replies to one request, key 338220e87aa424d2d7aacedb96e5bcd9; ragtest resolve settles it\n2 lines in 1 recording: conflict 1\n"))

	// A line that a union merge left twice is no conflict.
	twice, _, _ := strings.Cut(merged, "\n")
	g.Expect(os.WriteFile(file, []byte(twice+"\r\n"+twice+"\r\n"), 0o644)).To(Succeed())
	g.Expect(command(t, dir, "check", "judge.jsonl").code).To(Equal(0))
}
