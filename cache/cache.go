// Package cache keeps what a model answered, so that a test run that asks the
// same gets the same, at no cost.
//
// It maps a [Key] to bytes and knows nothing of judges. A reply is looked for
// in two places before anybody is asked:
//
//   - the recording: lines of JSON in the test package's testdata folder. They
//     are committed, reviewed and merged like code, and in replay they are the
//     only thing read.
//   - the store: one folder a user, outside every repository, shared by all
//     packages, branches and clones, so that going back to yesterday's prompt
//     costs nothing.
//
// What happens when neither has it is a matter of the [Mode].
//
// # The key
//
// A key is made from the identity of who answers, the whole request and the
// number of the trial: everything that can change a reply, and nothing else.
// Names of tests and samples, thresholds and the clock are in no key. The scheme
// has a version, which goes into every key; see [Request.Key].
//
// # The recording
//
// A recording is a file of lines, each a JSON object, sorted by key:
//
//	{"k":"338220e8…","step":"claims/v1","by":"example.com","about":"The bridge …",
//	 "reply":{"claims":["…"]},"served":{"model":"…","build":"…","in":215,"out":24,"ms":812},
//	 "parts":{"model":"…","prompt":"c29591bc…","text":"ca978112…"},
//	 "request":"b4d7912f…","sum":"48c8bbaf9d1631f8"}
//
// k is the key, in 32 hexadecimal digits at a fixed place. step names the prompt
// and its version, by the identity, trial the number of the draw if it is not 0.
// about and reply are what a reviewer reads; served tells how the reply came to
// be. parts has what the request was made of, texts as the first 12 digits of
// their SHA-256, so that a miss can be explained. request is the SHA-256 of the
// request: with by and trial it gives k again. sum is the beginning of the
// SHA-256 of all that stands before it on the line.
//
// Lines may stand in any order and be repeated, as merges leave them. A line that
// was changed by hand is an error, as is a second reply to one key; see
// [LineError] and [ConflictError].
package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Source says where a reply came from.
type Source int

const (
	Asked    Source = iota // asked for just now, and paid
	Recorded               // read from the recording
	Stored                 // read from the store: paid earlier, by this or another process
)

// String returns the word that reports use for s.
func (s Source) String() string { return sources[s] }

var sources = [...]string{Asked: "asked", Recorded: "recorded", Stored: "stored"}

// MarshalText gives JSON the word of String.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Source) UnmarshalText(text []byte) error {
	i := slices.Index(sources[:], string(text))
	if i < 0 {
		return fmt.Errorf("cache: the source of a reply is %q, expected asked, recorded or stored", text)
	}
	*s = Source(i)
	return nil
}

// Reply is what a model answered.
type Reply struct {
	// Value is the reply itself, as JSON. It is what is compared when one key
	// turns up twice.
	Value json.RawMessage
	// Served says how the reply came to be (server build, tokens, time), as
	// JSON. Nothing is decided by it.
	Served json.RawMessage
	// Source and Key are set by [Cache.Do].
	Source Source
	Key    Key
}

// Options say where a [Cache] keeps its files. The zero value is right for a
// test package.
type Options struct {
	// Dir is the folder of the recordings. Empty means testdata/ragtest in the
	// folder that the process was started in, which for a test is its package.
	Dir string
	// Home is the folder of the store. Empty means ragtest/v1 in
	// [os.UserCacheDir].
	Home string
	// Mode decides what may be asked. Empty means what RAGTEST_CACHE says, see
	// [ModeFromEnv].
	Mode Mode
}

// Cache is the recording of one test package and the store behind it. It is
// safe for concurrent use, also by many processes.
type Cache struct {
	mode Mode
	dir  string
	live *live // nil in replay, so that no road leads from there to a model

	mu         sync.Mutex
	recordings map[string]*recording
	counts     Counts
	given      map[Key]bool // in this run
	warnings   []string
	drifts     []Drift
	planned    planned
}

// Counts tells what a [Cache] did so far.
type Counts struct {
	Recorded int // different replies read from the recording
	Stored   int // different replies read from the store
	Asked    int // replies asked for
	Repeated int // replies given again in the same run
	Missed   int // requests that could not be answered in replay
	Planned  int // different requests that a plan would ask

	Verified   int // replies asked for again and compared
	Unverified int // replies asked for with nothing to compare them with
}

// started is where the process began. It is taken before any test can change
// directory, as testdata lies beside the package and not where a test went.
var started, errStarted = os.Getwd()

// Open prepares a cache. It reads no file: a suite that never asks costs
// nothing, and in replay the store is not even looked for.
func Open(o Options) (*Cache, error) {
	mode := o.Mode
	if mode == "" {
		var err error
		if mode, err = ModeFromEnv(); err != nil {
			return nil, err
		}
	}
	if err := mode.check("Options.Mode"); err != nil {
		return nil, err
	}
	dir := o.Dir
	if dir == "" {
		dir = filepath.Join("testdata", "ragtest")
	}
	if !filepath.IsAbs(dir) {
		if errStarted != nil {
			return nil, fmt.Errorf("cache: the folder of the test package is unknown, give Options.Dir as an absolute path: %w", errStarted)
		}
		dir = filepath.Join(started, dir)
	}
	c := &Cache{mode: mode, dir: dir, recordings: map[string]*recording{}, given: map[Key]bool{}}
	if mode != Replay {
		c.live = newLive(c, o.Home)
	}
	return c, nil
}

// Mode returns the mode that c works in; never empty.
func (c *Cache) Mode() Mode { return c.mode }

// Dir returns the folder of c's recordings.
func (c *Cache) Dir() string { return c.dir }

// Counts returns what c did so far.
func (c *Cache) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Warnings returns what went wrong without making a reply wrong: a store that
// could not be used, a lock that somebody else held too long.
func (c *Cache) Warnings() []string {
	c.mu.Lock()
	w := append([]string(nil), c.warnings...)
	c.mu.Unlock()
	if c.live != nil {
		w = append(w, c.live.warnings()...)
	}
	return w
}

func (c *Cache) warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// Do returns the reply to r. If it is neither recorded nor stored, fill asks
// for it, unless the mode forbids: then the error is a [*MissError] or a
// [*PlanError]. Concurrent calls for one key fill once, in this process and
// across processes. A reply is written to disk before Do returns it; an error of
// fill is returned as it is and nothing is kept.
func (c *Cache) Do(ctx context.Context, r Request, fill func(context.Context) (Reply, error)) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	r = r.hashed()
	if c.mode == Auto || !c.mode.asks() {
		reply, ok, err := c.recording(r.Kind).get(r, false)
		if err != nil {
			return Reply{}, err
		}
		if ok {
			return c.count(r, reply, nil)
		}
	}
	if c.mode == Plan {
		return c.plan(r)
	}
	if c.live == nil {
		c.mu.Lock()
		c.counts.Missed++
		c.mu.Unlock()
		return Reply{}, c.recording(r.Kind).miss(r)
	}
	reply, err := c.live.do(ctx, r, fill)
	return c.count(r, reply, err)
}

// count notes where a reply came from. What was given before in this run, from
// wherever, is a repetition.
func (c *Cache) count(r Request, reply Reply, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case reply.Source == Asked:
		c.counts.Asked++
	case c.given[r.Key()]:
		c.counts.Repeated++
	case reply.Source == Stored:
		c.counts.Stored++
	default:
		c.counts.Recorded++
	}
	c.given[r.Key()] = true
	reply.Key = r.Key()
	return reply, nil
}

func (c *Cache) recording(kind string) *recording {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec, ok := c.recordings[kind]
	if !ok {
		rec = &recording{path: filepath.Join(c.dir, kind+".jsonl")}
		c.recordings[kind] = rec
	}
	return rec
}

// Unused returns, by file, the recorded keys that c was not asked for. After a
// run of all tests they are what no test needs any more; after any other run
// they mean nothing. [Tidy] removes them.
func (c *Cache) Unused() (map[string][]Key, error) {
	files, err := filepath.Glob(filepath.Join(c.dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	unused := map[string][]Key{}
	for _, f := range files {
		keys, err := c.recording(strings.TrimSuffix(filepath.Base(f), ".jsonl")).unused()
		if err != nil {
			return nil, err
		}
		if len(keys) > 0 {
			unused[f] = keys
		}
	}
	return unused, nil
}

// Close sorts the recordings that grew and closes the store. A cache that only
// replayed writes nothing.
func (c *Cache) Close() error {
	if c.live == nil {
		return nil
	}
	c.mu.Lock()
	recordings := slices.Collect(maps.Values(c.recordings))
	c.mu.Unlock()
	var errs []error
	for _, rec := range recordings {
		errs = append(errs, c.live.settle(rec))
	}
	return errors.Join(append(errs, c.live.close())...)
}
