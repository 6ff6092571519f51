package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// fetching has a question that says much of what the answer does not repeat.
var fetching = ragtest.Sample{
	Name:              "fetching",
	UserInput:         "A bottle of wine is waiting for me at the station in Tolma. Can my neighbour fetch it?",
	Response:          "Open the app and share the code. The person who types it must be 18 or older.",
	RetrievedContexts: []string{"Share the code in the app. Whoever collects alcohol must be 18 or older."},
	Reference:         "Sharing the code in the app is enough. An adult must type it.",
}

// A claim that the text cannot have made is a fault of the judge. It may mend
// it; if it does not, there is no score.
func TestClaimsThatTheTextDoesNotMake(t *testing.T) {
	const fine = "The code is shared in the app."
	for name, test := range map[string]struct{ claim, why string }{
		"the question's premise":            {"A bottle of wine is waiting at the station.", "says only what the question says"},
		"the question's, reworded":          {"Wine waits at Tolma station.", "says only what the question says"},
		"of another subject":                {"The ferry costs 12 euros.", "has no word in common with the text"},
		"in another script":                 {"フェリーは十二ユーロです。", "has no word in common with the text"},
		"of another number":                 {"It is 1932.", "has no word in common with the text"},
		"the prompt's dots":                 {"...", "is an example of the prompt"},
		"dots with blanks":                  {" ... ", "is an example of the prompt"},
		"a sentence of the prompt":          {"Keep the code of the app in mind.", "is an example of the prompt"},
		"the question itself":               {"Can my neighbour fetch it?", "is a question"},
		"a question that nobody asked":      {"Must the person who types the code be 18?", "is a question"},
		"a question, in full-width letters": {"Must the person be 18？", "is a question"},
	} {
		t.Run(name, func(t *testing.T) {
			want := "expected claims that the text makes, got claim 2 (\"" + shortened(test.claim) + "\"), which " + test.why
			bad := fixtures.Claims(fine, test.claim)
			judge := func(l *lab) *ragtest.Judge {
				if test.why == "is an example of the prompt" && len(test.claim) > 5 {
					return l.Judge.Judge().Prompted("claims/v2", "You split a text. An example: Keep the code of the app in mind.")
				}
				return l.Judge.Judge()
			}

			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", bad, fixtures.Claims(fine)).On("verify", fixtures.Verdicts(true))
			score, err := l.measure(judge(l), ragtest.Faithfulness, fetching)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{{Claim: fine, OK: true, Reason: "r"}}))
			g.Expect(l.Asked("claims")).To(Equal(2))
			g.Expect(l.Requests()[1].Messages()[3].Content).To(HavePrefix("That reply cannot be used: malformed reply: " + want))

			l = newLab(t)
			l.On("claims", bad, bad, fixtures.Claims(fine)).On("verify", fixtures.Verdicts(true))
			score, err = l.measure(judge(l), ragtest.Faithfulness, fetching)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err).To(MatchError(ContainSubstring(want + "\n")))
			g.Expect(l.Asked("verify")).To(BeZero())
			_, err = l.measure(judge(l), ragtest.Faithfulness, fetching)
			g.Expect(err).NotTo(HaveOccurred(), "what was bad is not kept")
		})
	}
}

// shortened is a claim as a message shows it.
func shortened(claim string) string {
	if claim == " ... " {
		return "..."
	}
	return claim
}

// The reference's claims are checked against the reference, not against the
// answer.
func TestClaimsOfTheReferenceAreItsOwn(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	foreign := fixtures.Claims("A person of 18 opens lockers.") // of the answer, not of the question
	l.On("claims", foreign, foreign)
	_, err := l.measure(l.Judge.Judge(), ragtest.ContextRecall, fetching)
	g.Expect(err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(err).To(MatchError(ContainSubstring(`claim 1 ("A person of 18 opens lockers."), which has no word in common with the text`)))
}

// Replies to claims/v1 were recorded without such a check, and have to replay.
func TestClaimsOfV1AreNotLookedAt(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A bottle of wine is waiting at the station.", "The ferry costs 12 euros.", "...", "Can my neighbour fetch it?")).
		On("verify", fixtures.Verdicts(true, true, false, false))
	score, err := l.measure(l.Judge.Judge().Pinned("claims/v1"), ragtest.Faithfulness, fetching)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).To(Equal("2/4"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

// What a good judge makes of an answer passes, in any language: the check is for
// claims that cannot be the text's, not for those that may not be.
func TestClaimsThatTheTextMakes(t *testing.T) {
	for name, test := range map[string]struct {
		question, text string
		claims         []string
	}{
		"word for word":  {"When?", "The bridge opened in 1932.", []string{"The bridge opened in 1932."}},
		"other endings":  {"", "Parcels are stored for two days.", []string{"A parcel's storage lasts two days."}},
		"other letters":  {"", "THE BRIDGE OPENED.", []string{"the bridge opened"}},
		"without a word": {"Who?", "It is he.", []string{"He is it."}},
		"no question":    {"", "The bridge opened in 1932, and it is red.", []string{"The bridge opened in 1932.", "The bridge is red."}},

		"yes":                    {"Did the bridge open in 1932?", "Yes.", []string{"The bridge opened in 1932."}},
		"no":                     {"Is the depot in Tolma open on Sundays?", "No.", []string{"The depot in Tolma is not open on Sundays."}},
		"yes, in a sentence":     {"Did the bridge open in 1932?", "Yes, that is right.", []string{"The bridge opened in 1932."}},
		"no, in two":             {"Is the depot open on Sundays?", "No, it is not. Come on Monday.", []string{"The depot is not open on Sundays.", "One may come to the depot on Monday."}},
		"yes, and why":           {"Can my neighbour fetch my parcel from the station?", "Yes, your neighbour can fetch it if you share the code in the app.", []string{"The neighbour can fetch the parcel from the station.", "You have to share the code in the app."}},
		"yes, and on what terms": {"Can my neighbour fetch my parcel from the station?", "Yes, provided that you share the code with him first.", []string{"The neighbour can fetch the parcel from the station."}},
		"German, yes":            {"Ist das Depot in Tolma am Sonntag geöffnet?", "Ja. Bringen Sie bitte Ihren Ausweis mit.", []string{"Das Depot in Tolma ist am Sonntag geöffnet.", "Man soll den Ausweis mitbringen."}},
		"Japanese, yes, and":     {"土曜日に倉庫は開いていますか", "はい、ただし身分証明書をお持ちください。", []string{"土曜日に倉庫は開いている。", "身分証明書が必要である。"}},
		"no, and how it is":      {"Is the depot in Tolma open on Sundays?", "No, the depot is never open on Sundays, sorry about that.", []string{"The depot in Tolma is not open on Sundays."}},
		"no, in other words":     {"Can I return an opened parcel to the depot in Tolma?", "No, sorry: opened parcels can never be returned, whatever the reason.", []string{"An opened parcel cannot be returned to the depot in Tolma."}},
		"a date":                 {"When was the first super bowl?", "Jan 15, 1967", []string{"The first Super Bowl was held on January 15, 1967."}},
		"a name":                 {"Which bird is the symbol of the city of Tolma?", "Heron", []string{"The symbol of the city of Tolma is the heron."}},
		"a number":               {"How many books may a member of the library borrow at a time?", "8", []string{"A member of the library may borrow 8 books at a time."}},
		"a list":                 {"Which documents does the depot accept as a proof of age?", "A passport, a driving licence or an identity card.", []string{"The depot accepts a passport as a proof of age.", "The depot accepts a driving licence as a proof of age."}},
		"a clause":               {"What happens to a parcel that waits at the station for three days?", "It is sent back to whoever posted it.", []string{"A parcel that waits at the station for three days is sent back."}},
		"a question, repeated":   {"", "The screen asks: Continue?", []string{"The screen asks: Continue?"}},
		"dots of its own":        {"", "Wait ... then press it.", []string{"...", "Press it."}},

		"Japanese":           {"橋はいつ開通しましたか", "橋は1932年に開通しました。建設には八年かかりました！", []string{"橋は1932年に開通した。", "橋の建設には八年かかった。"}},
		"Japanese, short":    {"橋はいつ開通しましたか", "1932年です。", []string{"橋は1932年に開通した。"}},
		"Japanese, yes":      {"土曜日に倉庫は開いていますか", "はい。", []string{"土曜日に倉庫は開いている。"}},
		"Japanese, katakana": {"", "サーバーはロッカーにあります。", []string{"サーバーがロッカーにある。"}},
		"Chinese":            {"大桥什么时候通车的？", "大桥于1932年通车，全长五百米。", []string{"大桥于1932年通车。", "大桥的全长是五百米。"}},
		"Chinese, yes":       {"大桥是1932年通车的吗？", "是的。", []string{"大桥是1932年通车的。"}},
		"Chinese, one sign":  {"周日开门吗？", "不", []string{"周日不开门。"}},
		"Thai":               {"สะพานเปิดเมื่อไร", "สะพานเปิดในปี 2475 หลังจากก่อสร้างนานแปดปี", []string{"สะพานเปิดในปี 2475", "การก่อสร้างสะพานใช้เวลาแปดปี"}},
		"Thai, yes":          {"สะพานเปิดวันอาทิตย์ไหม", "ใช่", []string{"สะพานเปิดวันอาทิตย์"}},
		"Arabic":             {"متى افتتح الجسر؟", "افتتح الجسر عام 1932 بعد ثماني سنوات من العمل.", []string{"افتتح الجسر في عام 1932.", "استغرق العمل في الجسر ثماني سنوات."}},
		"Arabic, no":         {"هل المستودع مفتوح يوم الأحد؟", "لا.", []string{"المستودع غير مفتوح يوم الأحد."}},
		"German":             {"Wann wurde die Brücke eröffnet?", "Sie wurde 1932 nach acht Jahren Bauzeit eröffnet.", []string{"Die Eröffnung der Brücke war 1932.", "Der Bau der Brücke dauerte acht Jahre."}},
		"German, no":         {"Ist das Depot sonntags geöffnet?", "Nein, leider nicht.", []string{"Das Depot ist sonntags nicht geöffnet."}},
		"Russian":            {"Когда открылся мост?", "Мост открылся в 1932 году.", []string{"Открытие моста состоялось в 1932 году."}},
		"Hindi":              {"पुल कब खुला?", "पुल आठ साल के काम के बाद 1932 में खुला।", []string{"पुल 1932 में खुला।"}},
		"Korean":             {"다리는 언제 개통되었습니까?", "다리는 1932년에 개통되었습니다.", []string{"다리는 1932년에 개통되었다."}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Claims(test.claims...)).On("verify", fixtures.Verdicts(make([]bool, len(test.claims))...))
			score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, ragtest.Sample{
				UserInput: test.question, Response: test.text, RetrievedContexts: []string{"c"},
			})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(l.Asked("claims")).To(Equal(1))
			for i, c := range test.claims {
				g.Expect(score.Verdicts[i].Claim).To(Equal(c))
			}
		})
	}
}
