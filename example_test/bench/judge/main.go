// Command judge is the model of the benchmark: a server with the API of
// OpenAI's whose reply depends on nothing but the request.
//
// It makes every sentence a claim, decides by a hash whether a claim is
// supported, and fills whatever other JSON schema a client asks for. It counts
// the calls, and those of them that nobody had made before: GET /stats, and
// POST /reset to begin anew. It prints its base URL and serves until it is
// ended.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	latency := flag.Duration("latency", 0, "how long each reply takes")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	log.Fatal(http.Serve(l, newJudge(*latency)))
}

type judge struct {
	*http.ServeMux
	latency time.Duration
	mu      sync.Mutex
	calls   int
	seen    map[[sha256.Size]byte]bool
}

func newJudge(latency time.Duration) *judge {
	j := &judge{ServeMux: http.NewServeMux(), latency: latency, seen: map[[sha256.Size]byte]bool{}}
	j.HandleFunc("POST /v1/chat/completions", j.chat)
	j.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		j.mu.Lock()
		defer j.mu.Unlock()
		send(w, map[string]int{"calls": j.calls, "unique": len(j.seen)})
	})
	j.HandleFunc("POST /reset", func(http.ResponseWriter, *http.Request) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.calls, j.seen = 0, map[[sha256.Size]byte]bool{}
	})
	return j
}

type request struct {
	Model    string
	Messages []struct{ Content content }
	Format   struct {
		Schema struct {
			Name   string
			Schema map[string]any
		} `json:"json_schema"`
	} `json:"response_format"`
}

// content is the text of a message, which comes as a string or in parts.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct{ Text content }
	if json.Unmarshal(b, &parts) != nil {
		return json.Unmarshal(b, (*string)(c))
	}
	for _, p := range parts {
		*c += p.Text
	}
	return nil
}

func (j *judge) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req request
	if err != nil || json.Unmarshal(body, &req) != nil || len(req.Messages) == 0 {
		http.Error(w, `{"error":{"message":"not a chat request"}}`, http.StatusBadRequest)
		return
	}
	j.mu.Lock()
	j.calls++
	j.seen[sha256.Sum256(body)] = true
	j.mu.Unlock()
	time.Sleep(j.latency)
	send(w, map[string]any{
		"id": "bench", "object": "chat.completion", "created": 0, "model": req.Model, "system_fingerprint": "bench",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply(req)}}},
		"usage":   map[string]int{"prompt_tokens": len(body) / 4, "completion_tokens": 100, "total_tokens": len(body)/4 + 100},
	})
}

// reply answers the steps of this module's metrics by what they ask about, and
// everything else by its schema.
func reply(r request) string {
	var data struct {
		Text   string
		Claims map[string]string
	}
	_ = json.Unmarshal([]byte(r.Messages[len(r.Messages)-1].Content), &data) // another client's is text
	switch {
	case r.Format.Schema.Name == "claims" && data.Text != "":
		return compact(map[string]any{"claims": sentences(data.Text)})
	case r.Format.Schema.Name == "verify" && data.Claims != nil:
		verdicts := map[string]any{}
		for number, claim := range data.Claims {
			verdicts[number] = map[string]any{"reason": "The hash of the claim decides.", "supported": chance(claim)}
		}
		return compact(verdicts)
	}
	return other(r)
}

// sentences splits at full stops, which stay.
func sentences(text string) []string { return strings.SplitAfter(strings.TrimSpace(text), ". ") }

// chance is true for three texts of four.
func chance(text string) bool {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()>>8%4 != 0
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, compact(v))
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // nothing here is not JSON
	}
	return string(b)
}
