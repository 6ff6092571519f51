package ragtest_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// released are the SHA-256 of the prompts that were released. An entry is never
// changed or removed: recordings were made with that text. A better prompt is a
// new file and a new line.
var released = map[string]string{
	"accuracy.v1.txt":              "fd995a8de989dd2351a958561b1945f8546b4cb3ceba2209ad74efaec1185c69",
	"accuracy_swapped.v1.txt":      "c44524757914b9c8bb394134f544ab139933148454d827a14182ffe060bf8bb3",
	"aspect.v1.txt":                "43dedfee78c9a4df658c8062dff584d0f4e413525b3f1208db8bb1c8ea8174d3",
	"claims.v1.txt":                "e47f36b539dac7a2f3e754649841128250f669426b7bc80f44cb97b91e44e728",
	"claims.v2.txt":                "4cd405be4d3c8797502b1e421552472b68dcd2236da712b0992622acaed75a6c",
	"claims_coarse.v1.txt":         "2130e746ea6ab8a18232441f7e7c85b147de9c99715faf2a52dd7b06c322c95c",
	"claims_main.v1.txt":           "2c9f7e2eadffbfbaaa24c5b7a8cfb891b6ede384dfd429bab784eba908194c94",
	"claims_main_coarse.v1.txt":    "594ac1f6052cc07b066fa5b6709203ab93b3ba2dd2c6e0e5ca6de7b108420420",
	"classification.v1.txt":        "7bf2c8f61e4adbf78704afe0bb066570d262a6604cf122a952bfe9a89fc9e679",
	"compare.v1.txt":               "6858d3c675539d811fcb84ddee93a47b6394802c5ea954fb2786bdc3b5083959",
	"criteria.v1.txt":              "094f07b943d5484474adc81a448a2328146d0bafcf9168438ddfa157dbcdb1e7",
	"entities.v1.txt":              "9220a80e5144a4b5362245ea958fd8e71b6e2501312636b828a17cc812688c80",
	"groundedness.v1.txt":          "285d2baf1c569b903429dd4ccdcc0b51a547e9406cd2a787cc293c8865b43e88",
	"groundedness_reworded.v1.txt": "93df00575489d1a150fbdc5b75732b6a8df6f4dc43ded7f7b4f13515b5e90cc5",
	"keyphrases.v1.txt":            "1a6f6283de03256c506d4a47c36f644eba0ad0d4c39692274c93ee800f5de4c4",
	"questions.v1.txt":             "0b04142b526819b0524be9b735d8d090f87bf86ca5730aaff5415b3f47841988",
	"quiz.v1.txt":                  "bfc23edba63853ec37d6f0e201146d146c16a46c2926b95161f7c11765bc11bb",
	"quiz_answers.v1.txt":          "896907ec37f64e8a77628fdf1c9be68b015ef454783fbeb9f846989f497a054c",
	"refusals.v1.txt":              "a175f24517696e4c0b5c33af1837aeadd5f4dc8e91cd63e1e105e8fa56ef2197",
	"relevance.v1.txt":             "c197fc18e263b918d36ec08c1b339ec73cca4b31a87c9c2df32384251f542e0c",
	"relevance_reworded.v1.txt":    "d25a9122087f6b56bb107d5934293426c2a61e4408ca1d5032c4c773ff8805a0",
	"rubric.v1.txt":                "7c2068b6a8bc529fe5cdad6f41894b8b7ca1f8146bb00c05a70dc0c46406cbfe",
	"topics.v1.txt":                "cfa093707f928d53af1049a4241ba1e3ed92188745b9638a51ecc06b2c49471c",
	"useful.v1.txt":                "fd4f138028461ad071b41344e42e931769ab3ca331d4203e43de136e168101b5",
	"verify.v1.txt":                "7dd843052df5840251bb07b4bcb44243301da8cfe9db0f65c15bf559e99e5e75",
	"verify.v2.txt":                "d68b5ca64e2fa21d8a531a2906fdd776d46eda2b34ba47f6ebc8ef6e2062b51c",
}

func TestReleasedPromptsDoNotChange(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob("prompts/*.txt")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(len(released)))
	for _, f := range files {
		b, err := os.ReadFile(f)
		g.Expect(err).NotTo(HaveOccurred())
		text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
		g.Expect(fmt.Sprintf("%x", sha256.Sum256([]byte(text)))).To(Equal(released[filepath.Base(f)]), "%s is released and must stay as it is; write a new version", f)
	}
}

// Each prompt is pinned alone, and the last choice counts. A version has its own
// form of the reply.
func TestPinned(t *testing.T) {
	for pins, want := range map[string][]string{
		"":                              {"claims/v2", "verify/v2"},
		"claims/v1":                     {"claims/v1", "verify/v2"},
		"verify/v1":                     {"claims/v2", "verify/v1"},
		"verify/v1 claims/v1":           {"claims/v1", "verify/v1"},
		"verify/v1 claims/v2 verify/v2": {"claims/v2", "verify/v2"},
	} {
		t.Run(pins, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			form := fixtures.Verdicts(true, false)
			if want[1] == "verify/v1" {
				form = fixtures.Text(`{"verdicts":[{"claim":1,"supported":true},{"claim":2,"supported":false}]}`)
			}
			l.On("claims", fixtures.Claims("a", "b")).On("verify", form)
			j := l.Judge.Judge()
			score, err := l.measure(j.Pinned(strings.Fields(pins)...), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Fraction()).To(Equal("1/2"))
			g.Expect(score.Exchanges).To(HaveLen(2))
			for i, step := range want {
				g.Expect(score.Exchanges[i].Step).To(Equal(step))
				text, err := os.ReadFile("prompts/" + strings.Replace(step, "/", ".", 1) + ".txt")
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(l.Requests()[i].Messages()[0].Content).To(Equal(strings.TrimSpace(string(text))))
			}
		})
	}
}

// A name that is none is an error before anything is asked, also where it is of
// a step that the metric comes to later, or never.
func TestPinnedToWhatIsNot(t *testing.T) {
	for pin, want := range map[string]string{
		"verify/v99":   "no such prompt: verify/v99",
		"verify/v0":    "no such prompt: verify/v0",
		"entities/v99": "no such prompt: entities/v99",
		"verify":       `no such prompt: "verify", expected a name such as claims/v2`,
		"verify/v":     `no such prompt: "verify/v", expected a name such as claims/v2`,
		"verify/vx":    `no such prompt: "verify/vx", expected a name such as claims/v2`,
		"verfy/v1":     `no such prompt: "verfy/v1", expected a name such as claims/v2`,
		"":             `no such prompt: "", expected a name such as claims/v2`,
	} {
		t.Run(pin, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for _, j := range []*ragtest.Judge{
				l.Judge.Judge().Pinned("claims/v1", pin, "verify/v1"),
				l.Judge.Judge().Prompted(pin, "You check claims."),
			} {
				_, err := l.measure(j, ragtest.Faithfulness, bridge)
				g.Expect(err).To(MatchError(ragtest.ErrNoPrompt))
				g.Expect(err).To(MatchError(HaveSuffix(": " + want)))
			}
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
}

// A text of one's own is sent in place of the prompt's, to its step alone, and
// messages and recordings say so. Reply and checks stay those of the version.
func TestPrompted(t *testing.T) {
	const own = "あなたは主張を文書と照合します。"
	g := NewWithT(t)
	l := newLab(t)
	yes := fixtures.Verdicts(true)
	l.On("claims", fixtures.Claims("A")).On("verify", yes, yes, yes)
	j := l.Judge.Judge()
	plain, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())

	prompted := j.Prompted("verify/v2", "\n "+own+" \n")
	score, err := l.measure(prompted, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(1), "that step is as it was")
	messages := l.Requests()[2].Messages()
	g.Expect(messages[0]).To(Equal(fixtures.Message{Role: "system", Content: own}))
	g.Expect(messages[1]).To(Equal(l.Requests()[1].Messages()[1]))
	g.Expect(schemaOf(g, l.Requests()[2])).To(Equal(schemaOf(g, l.Requests()[1])))
	g.Expect(score.Exchanges[1].Step).To(Equal("verify/v2 (own)"))
	g.Expect(score.String()).To(ContainSubstring("; claims/v2, verify/v2 (own); 1 recorded, 1 asked"))
	g.Expect(score.Exchanges[0].Key).To(Equal(plain.Exchanges[0].Key))
	g.Expect(score.Exchanges[1].Key).NotTo(Equal(plain.Exchanges[1].Key))

	other, err := l.measure(j.Prompted("verify/v2", own+"！"), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other.Exchanges[1].Key).NotTo(Equal(score.Exchanges[1].Key), "another text, another key")
	for _, j := range []*ragtest.Judge{j, prompted} { // which Prompted has not changed
		_, err = l.measure(j, ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
}

// The last choice counts, and the version decides on the form of the reply.
func TestPromptedAndPinned(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify",
		fixtures.Text(`{"verdicts":[{"claim":1,"supported":true}]}`), fixtures.Verdicts(false), fixtures.Text(`{"1":{"reason":"r"}}`), fixtures.Text("prose"))
	j := l.Judge.Judge()
	for _, test := range []struct {
		judge *ragtest.Judge
		step  string
		score string
	}{
		{j.Prompted("verify/v1", "You check."), "verify/v1 (own)", "1/1"},
		{j.Prompted("verify/v1", "You check.").Pinned("verify/v2"), "verify/v2", "0/1"},
	} {
		score, err := l.measure(test.judge, ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Exchanges[1].Step).To(Equal(test.step))
		g.Expect(score.Fraction()).To(Equal(test.score))
	}
	_, err := l.measure(j.Pinned("verify/v1").Prompted("verify/v2", "You check."), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(err).To(MatchError(ContainSubstring(`malformed reply in step verify/v2 (own): expected "supported" in every entry`)))
}
