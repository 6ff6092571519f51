package cache

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"slices"
	"strings"
)

// mediaType returns the media type in a Content-Type, without parameters.
func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json") && kind != "application/stream+json"
}

const eventStream = "text/event-stream"

// lineStreams are the media types of JSON values on a line each.
var lineStreams = []string{
	"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
	"application/jsonlines", "application/json-lines", "application/stream+json",
}

// isStream reports whether a reply of this type is meant to be read while it
// comes.
func isStream(contentType string) bool {
	kind := mediaType(contentType)
	return kind == eventStream || kind == "application/vnd.amazon.eventstream" || slices.Contains(lineStreams, kind)
}

// event is one event of a stream: its name, if it has one, and its data.
type event struct {
	name string
	data []byte
}

// events splits a stream. Streams that are not text have none.
func events(kind string, stream []byte) []event {
	var all []event
	switch {
	case kind == eventStream:
		for len(stream) > 0 {
			var one []byte
			one, stream = cutEvent(stream)
			if e := parseEvent(one); len(e.data) > 0 || e.name != "" {
				all = append(all, e)
			}
		}
	case slices.Contains(lineStreams, kind):
		for l := range bytes.Lines(stream) {
			if l = bytes.TrimSpace(l); len(l) > 0 {
				all = append(all, event{data: l})
			}
		}
	}
	return all
}

// cutEvent cuts server-sent events behind the first, which ends with an empty
// line.
func cutEvent(stream []byte) (first, rest []byte) {
	begun := false
	for at := 0; at < len(stream); {
		end := len(stream)
		if i := bytes.IndexByte(stream[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if l := bytes.TrimRight(stream[at:end], "\r\n"); len(l) > 0 {
			begun = true
		} else if begun {
			return stream[:end], stream[end:]
		}
		at = end
	}
	return stream, nil
}

func parseEvent(text []byte) event {
	var e event
	for l := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimRight(l, "\r\n"), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.name = string(value)
		case "data":
			if e.data != nil {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
		}
	}
	return e
}

// ending tells how far a stream has come, by the protocols of chat models. A
// proxy that lost its model ends a stream like any other: only the events tell
// that something is missing.
type ending struct {
	opened   bool // a protocol began that has a last event
	finished bool // the model stopped
	closed   bool // the last event came
	failed   bool // an error came
}

func endingOf(kind string, stream []byte) ending {
	var e ending
	for _, ev := range events(kind, stream) {
		if string(bytes.TrimSpace(ev.data)) == "[DONE]" {
			e.closed = true
			continue
		}
		var x struct {
			Type, Object, Error, Done json.RawMessage
			Choices                   json.RawMessage
		}
		_ = json.Unmarshal(ev.data, &x) // what is no object has none of these
		e.failed = e.failed || ev.name == "error" || meansError(x.Error)
		if text := unquoted(x.Object); text == "chat.completion.chunk" || text == "text_completion" {
			e.opened = true
			e.finished = e.finished || finishes(x.Choices)
		}
		name := unquoted(x.Type)
		if name == "" {
			name = ev.name
		}
		switch name {
		case "message_start", "response.created":
			e.opened = true
		case "message_stop", "response.completed", "response.incomplete":
			e.closed = true
		case "error", "response.failed":
			e.failed = true
		}
		switch string(x.Done) {
		case "false":
			e.opened = true
		case "true":
			e.opened, e.closed = true, true
		}
	}
	return e
}

func unquoted(v json.RawMessage) string {
	var s string
	_ = json.Unmarshal(v, &s)
	return s
}

// finishes reports whether one of a chunk's choices has a finish reason.
func finishes(choices json.RawMessage) bool {
	var all []map[string]json.RawMessage
	_ = json.Unmarshal(choices, &all)
	for _, c := range all {
		if unquoted(c["finish_reason"]) != "" {
			return true
		}
	}
	return false
}

// eventReader replays a stream: a Read ends where an event does, as it mostly
// does when events come from a model.
type eventReader struct {
	kind  string
	now   []byte
	later []byte
}

func (r *eventReader) Read(p []byte) (int, error) {
	if len(r.now) == 0 {
		if len(r.later) == 0 {
			return 0, io.EOF
		}
		if r.kind == eventStream {
			r.now, r.later = cutEvent(r.later)
		} else if i := bytes.IndexByte(r.later, '\n'); i >= 0 {
			r.now, r.later = r.later[:i+1], r.later[i+1:]
		} else {
			r.now, r.later = r.later, nil
		}
	}
	n := copy(p, r.now)
	r.now = r.now[n:]
	return n, nil
}
