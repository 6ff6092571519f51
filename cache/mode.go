package cache

import (
	"fmt"
	"os"
	"strings"
)

// Mode says what a [Cache] does with a request.
type Mode string

const (
	// Auto replays what is recorded or stored and asks for the rest.
	Auto Mode = "auto"
	// Replay reads the recording and nothing else. What it lacks is an error.
	Replay Mode = "replay"
	// Plan replays what is recorded or stored, asks for nothing and records
	// nothing. What [Auto] would ask for is an error, and listed by
	// [Cache.Planned].
	Plan Mode = "plan"
	// Refresh asks again for everything that the run touches, once, and
	// replaces what was recorded.
	Refresh Mode = "refresh"
	// Verify asks again, keeps nothing, and reports the replies that differ
	// from the recorded ones.
	Verify Mode = "verify"
	// Off asks every time and keeps nothing.
	Off Mode = "off"
)

// ModeFromEnv returns the mode that RAGTEST_CACHE names. Unset, it is [Replay]
// where CI is set to anything but "", "0" or "false", as a build server must
// neither pay nor pass on a fresh reply, and [Auto] elsewhere. A word that is
// no mode is an error.
func ModeFromEnv() (Mode, error) {
	if m := Mode(strings.ToLower(strings.TrimSpace(os.Getenv("RAGTEST_CACHE")))); m != "" {
		return m, m.check("RAGTEST_CACHE")
	}
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
		return Auto, nil
	}
	return Replay, nil
}

func (m Mode) check(where string) error {
	switch m {
	case Auto, Replay, Plan, Refresh, Verify, Off:
		return nil
	}
	return fmt.Errorf("cache: %s is %q, expected auto, replay, plan, refresh, verify or off", where, string(m))
}

// asks reports whether anybody may be asked.
func (m Mode) asks() bool { return m != Replay && m != Plan }
