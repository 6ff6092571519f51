package ragtest_test

import (
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// What can be wrong with an answer before there is a text to parse. None of it
// is worth a second try, and none is kept.
func TestAnswerWithoutText(t *testing.T) {
	const cut = "truncated reply in step claims/v2: the reply was cut off at the token limit, so verdicts may be missing. " +
		"Allow more with Judge.MaxTokens, use Judge.Reasoning for a model that thinks first, or shorten the sample"
	for name, test := range map[string]struct {
		reply fixtures.Reply
		kind  error
		want  string
	}{
		"no choices": {
			fixtures.Raw(200, `{"id":"x","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected one choice, got none. The server may have blocked the prompt",
		},
		"no choices field": {
			fixtures.Raw(200, `{}`), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected one choice, got none. The server may have blocked the prompt",
		},
		"content null": {
			fixtures.Choice(`{"role":"assistant","content":null}`, "stop"), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected JSON, got an empty message",
		},
		"content blank": {
			fixtures.Text(" \n"), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected JSON, got an empty message",
		},
		"parts without text": {
			fixtures.Choice(`{"role":"assistant","content":[{"type":"image_url"}]}`, "stop"), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected JSON, got an empty message",
		},
		"only thoughts": {
			fixtures.Choice(`{"role":"assistant","content":"","reasoning_content":"so {\"claims\":[\"X\"]}"}`, "stop"), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected JSON, got thoughts (19 characters) and an empty message",
		},
		"thoughts to the limit": {
			fixtures.Choice(`{"role":"assistant","content":"","reasoning_content":"so {\"claims\":[\"X\"]}"}`, "length"), ragtest.ErrTruncated, cut,
		},
		"cut off": {
			fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A"}`, "length"), ragtest.ErrTruncated,
			cut + "\n  reply: {\"claims\":[\"A",
		},
		"cut off where JSON ends": {
			fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A\"]}"}`, "length"), ragtest.ErrTruncated,
			cut + "\n  reply: {\"claims\":[\"A\"]}",
		},
		"cut off, in another server's words": {
			fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A\"]}"}`, "max_tokens"), ragtest.ErrTruncated,
			cut + "\n  reply: {\"claims\":[\"A\"]}",
		},
		"ended in an error": {
			fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A\"]}"}`, "error"), ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a complete reply, got one that the server says ended in an error\n  reply: {\"claims\":[\"A\"]}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", test.reply)
			err := l.fails(l.Judge.Judge())
			g.Expect(err).To(MatchError(test.kind))
			var bad *ragtest.ReplyError
			g.Expect(asError(err, &bad)).To(BeTrue())
			g.Expect(bad.Error()).To(Equal(test.want))
			g.Expect(l.Requests()[1].Messages()).To(HaveLen(2), "it was asked once, and not to be mended")
		})
	}
}

// Content may be a list of parts.
func TestContentInParts(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Choice(`{"role":"assistant","content":[{"type":"text","text":"{\"claims\":"},{"type":"text","text":"[\"A\"]}"}]}`, "stop")).
		On("verify", fixtures.Verdicts(true))
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

// A judge that will not answer has answered: it is kept, and replays as what it
// is, never as a score.
func TestRefusalIsKept(t *testing.T) {
	stops := fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A\"]}"}`, "content_filter")
	for name, test := range map[string]struct {
		step  string
		reply fixtures.Reply
		kind  error
		want  string
	}{
		"refusal": {"claims", fixtures.Refusal("I'm sorry."), ragtest.ErrRefused, "refused in step claims/v2: I'm sorry."},
		"refusal beside content": {
			"verify", fixtures.Choice(`{"role":"assistant","content":"{}","refusal":"No."}`, "stop"),
			ragtest.ErrRefused, "refused in step verify/v2: No.",
		},
		"filter that ends the reply": {
			"claims", stops, ragtest.ErrFiltered, "content filter in step claims/v2: the provider held the reply back",
		},
		"filter as status 400": {
			"claims", fixtures.Raw(400, `{"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`),
			ragtest.ErrFiltered, "content filter in step claims/v2: The response was filtered",
		},
		"filter without a word": {
			"verify", fixtures.Raw(400, `{"error":{"message":"","code":"content_filter"}}`),
			ragtest.ErrFiltered, "content filter in step verify/v2: ",
		},
		"filter with status 200": {
			"claims", fixtures.Raw(200, `{"error":{"message":"held back","code":"content_filter"}}`),
			ragtest.ErrFiltered, "content filter in step claims/v2: held back",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(test.step, test.reply)
			if test.step == "verify" {
				l.On("claims", fixtures.Claims("A"))
			}
			_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			asked := l.Asked(fixtures.Any)
			g.Expect(asked).To(Equal(map[string]int{"claims": 1, "verify": 2}[test.step]))
			_, again := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(l.Asked(fixtures.Any)).To(Equal(asked), "it is not asked again")

			for _, err := range []error{err, again} {
				g.Expect(err).To(MatchError(test.kind))
				var no *ragtest.ReplyError
				g.Expect(asError(err, &no)).To(BeTrue())
				g.Expect(no.Error()).To(HavePrefix(test.want))
			}
			g.Expect(again.Error()).To(Equal(err.Error()))
		})
	}
}

// A filter that says nothing is kept as a filter, not as nothing.
func TestFilterWithoutAWordIsKept(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	asked := 0
	j := ragtest.NewJudgeClient(clientFunc(func(ctx, chatRequest) (chatResponse, error) {
		asked++
		return chatResponse{}, &apiError{HTTPStatusCode: 400, Code: "content_filter"}
	}), "here", "m")
	for range 2 {
		_, err := l.measure(j, ragtest.Faithfulness, bridge)
		g.Expect(err).To(MatchError(ragtest.ErrFiltered))
		g.Expect(err.Error()).To(HaveSuffix("content filter in step claims/v2: the provider held the request back"))
	}
	g.Expect(asked).To(Equal(1))
}

// A reply with a field that is called like a refusal's is a reply.
func TestFieldNamedRefused(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Text(`{"claims":["A"],"refused":"x","filtered":"y"}`)).On("verify", fixtures.Verdicts(false))
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).To(Equal("0/1"))
}

// A server's last word is not asked for twice, and the message has it.
func TestPermanentError(t *testing.T) {
	for name, test := range map[string]struct {
		reply fixtures.Reply
		code  string
		want  string // behind "call to scripted at localhost failed: "
	}{
		"400": {
			fixtures.Raw(400, `{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}`),
			"context_length_exceeded", "status 400 (context_length_exceeded): maximum context length is 8192 tokens",
		},
		"401": {fixtures.Error(401, "invalid_api_key", "bad key"), "invalid_api_key", "status 401 (invalid_api_key): bad key"},
		"403, not JSON": {
			fixtures.Raw(403, "<html>forbidden</html>"), "", "status 403: <html>forbidden</html>",
		},
		"404":                   {fixtures.Error(404, "model_not_found", "no such model"), "model_not_found", "status 404 (model_not_found): no such model"},
		"an error that is text": {fixtures.Raw(404, `{"error":"model \"m\" not found"}`), "", `status 404: model "m" not found`},
		"no body":               {fixtures.Raw(422, ""), "", "status 422"},
		"quota": {
			fixtures.Error(429, "insufficient_quota", "You exceeded your current quota"),
			"insufficient_quota", "status 429 (insufficient_quota): You exceeded your current quota",
		},
		"quota as the type": {
			fixtures.Raw(429, `{"error":{"message":"quota","type":"insufficient_quota","code":null}}`),
			"insufficient_quota", "status 429 (insufficient_quota): quota",
		},
		"quota without a message": {
			fixtures.Raw(429, `{"error":{"code":"insufficient_quota"}}`),
			"insufficient_quota", `status 429 (insufficient_quota): {"code":"insufficient_quota"}`,
		},
		"a number that is no status": {
			fixtures.Raw(400, `{"error":{"message":"bad","code":20015}}`), "20015", "status 400 (20015): bad",
		},
		"code 0": {fixtures.Raw(401, `{"error":{"message":"bad","code":0}}`), "0", "status 401 (0): bad"},
		"status 200, word": {
			fixtures.Raw(200, `{"error":{"message":"no such model","code":"model_not_found"}}`),
			"model_not_found", "status 200 (model_not_found): no such model",
		},
		"status 200, number": {
			fixtures.Raw(200, `{"error":{"message":"bad key","code":401},"choices":[]}`), "401", "status 200 (401): bad key",
		},
		"status 200, text":    {fixtures.Raw(200, `{"error":"oops"}`), "", "status 200: oops"},
		"status 200, nothing": {fixtures.Raw(200, `{"error":{"code":null}}`), "", `status 200: {"code":null}`},
		"JSON of another kind": {
			fixtures.Raw(200, `{"choices":"none"}`), "",
			"status 200: the answer cannot be read (json: cannot unmarshal string into Go struct field ChatCompletionResponse.choices of type []openai.ChatCompletionChoice): {\"choices\":\"none\"}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(fixtures.Any, test.reply)
			_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
			var call *ragtest.CallError
			g.Expect(asError(err, &call)).To(BeTrue(), "%v", err)
			g.Expect(call.Error()).To(Equal("call to scripted at localhost failed: " + test.want))
			g.Expect(call.Code).To(Equal(test.code))
			g.Expect(call.Tries).To(Equal(1))
			g.Expect(call.Temporary()).To(BeFalse())

			l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
			_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
		})
	}
}

// A message shows the beginning of a body, not a page.
func TestLongBodyIsCut(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	page := "<html>" + strings.Repeat("é", 100_000)
	l.On(fixtures.Any, fixtures.Raw(http.StatusBadGateway, page).With("Content-Type", "text/html"))
	_, err := l.measure(l.Judge.Judge().Tries(1), ragtest.Faithfulness, bridge)
	var call *ragtest.CallError
	g.Expect(asError(err, &call)).To(BeTrue())
	g.Expect(call.Status).To(Equal(502))
	g.Expect(len(strings.TrimSuffix(call.Body, "…"))).To(BeNumerically("<=", 500))
	g.Expect(page).To(HavePrefix(strings.TrimSuffix(call.Body, "…")))
	g.Expect(call.Error()).To(HavePrefix("call to scripted at localhost failed: status 502: <html>éé"))
	g.Expect(call.Temporary()).To(BeTrue())
}

// A model that thinks first and is not asked as one: the server says so, and
// the error says what to do. The client does not decide it by the model's name.
func TestServerDecidesWhatAModelTakes(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Any, fixtures.Raw(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`))
	j := ragtest.NewJudge(l.Config(), "gpt-5-mini")
	_, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
	g.Expect(err.Error()).To(HaveSuffix("status 400 (unsupported_parameter): Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.\n" +
		"  A model that thinks before it answers needs Judge.Reasoning"))

	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	_, err = l.measure(j.Temperature(0.3), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred(), "gpt-5-chat-latest takes both")
}
