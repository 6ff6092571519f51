package ragtest_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/ragomega/ragomega/fixtures"
)

// agreeable has j answer whatever metrics ask: every sentence is a claim, every
// verdict is a yes, and every list has what the schema wants.
func agreeable(j *fixtures.Judge) *fixtures.Judge {
	return j.Otherwise(func(r fixtures.Request) fixtures.Reply {
		if r.Step == fixtures.Embeddings {
			var vectors [][]float64
			for _, text := range r.Input() {
				vectors = append(vectors, vectorOf(text))
			}
			return fixtures.Vectors(vectors...)
		}
		var data struct{ Text string }
		if strings.HasPrefix(r.Step, "claims") && r.Data(&data) == nil {
			return fixtures.Claims(strings.SplitAfter(strings.TrimSpace(data.Text), ". ")...)
		}
		var body struct {
			Format struct {
				Schema struct {
					Schema map[string]any `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		_ = json.Unmarshal(r.Body, &body)
		schema := body.Format.Schema.Schema
		reply, err := json.Marshal(filled(schema, schema, "it"))
		if err != nil {
			panic(err) // it is made of JSON
		}
		return fixtures.Text(string(reply))
	})
}

// filled is an instance of a schema, which is a part of root.
func filled(schema, root map[string]any, name string) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if enum, ok := schema["enum"].([]any); ok {
		return enum[len(enum)-1]
	}
	switch schema["type"] {
	case "object":
		o := map[string]any{}
		for field, s := range schema["properties"].(map[string]any) {
			o[field] = filled(s.(map[string]any), root, name+" "+field)
		}
		return o
	case "array":
		return []any{filled(schema["items"].(map[string]any), root, name+" one")}
	case "boolean":
		return !strings.HasSuffix(name, "noncommittal") && !strings.HasSuffix(name, "refused")
	case "integer", "number":
		return 1
	}
	return "What is said of " + name + "?"
}

// vectorOf is a vector of 768 dimensions that depends on the text.
func vectorOf(text string) []float64 {
	v := make([]float64, 768)
	for i := range v {
		h := fnv.New32a()
		fmt.Fprintf(h, "%d %s", i, text)
		v[i] = float64(h.Sum32())/(1<<32) - 0.3
	}
	return v
}
