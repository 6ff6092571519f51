package example_test

import (
	_ "embed"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

//go:embed testdata/japanese/claims.txt
var claimsInJapanese string

//go:embed testdata/japanese/verify.txt
var verifyInJapanese string

// A judge can be instructed in another language: the texts replace those of the
// prompts, and the replies keep their form.
func TestFaithfulnessInJapanese(t *testing.T) {
	standing, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	judge := standing.Prompted("claims/v2", claimsInJapanese).Prompted("verify/v2", verifyInJapanese)
	library := ragtest.Sample{
		Name:      "図書館",
		UserInput: "図書館は日曜日に開いていますか。本は何冊借りられますか。",
		RetrievedContexts: []string{
			"市立図書館は平日は午前9時から午後8時まで、土曜日は午後5時まで開館しています。日曜日は休館です。",
			"本は一人8冊まで、3週間借りることができます。予約がなければ一度だけ延長できます。",
		},
	}
	g := NewWithT(t)
	library.Response = "図書館は日曜日は休館です。本は一人8冊まで借りられます。"
	g.Expect(library).To(BeFaithful().Using(judge))
	library.Response = "図書館は日曜日は休館です。本は一人10冊まで借りられます。"
	g.Expect(library).NotTo(BeFaithful().Using(judge))
}
