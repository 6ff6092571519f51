package otherclient

import (
	"cmp"
	"net/http"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/openai/openai-go/v3/option"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

const server = "llama.cpp b10068"

func TestMain(m *testing.M) {
	ragtest.Use(ragtest.OpenAI("qwen2.5-coder-1.5b").Named(server).Limits(1, 0).Timeout(10 * time.Minute))
	os.Exit(ragtest.Run(m))
}

// texts are two paragraphs of the assistant's help centre.
var texts = []string{
	"After five wrong codes in a row the screen is blocked for 20 minutes. The parcel stays where it is, and the same code works again afterwards.",
	"The depot is at the freight yard and is open from 08:00 to 19:00 from Monday to Friday and from 09:00 to 13:00 on Saturday.",
}

func TestSystemBehindAnotherClient(t *testing.T) {
	g := NewWithT(t)
	kept, err := ragtest.Cache()
	g.Expect(err).NotTo(HaveOccurred())
	client := option.WithHTTPClient(&http.Client{Transport: &cache.Transport{Cache: kept, Identity: server}})
	at := func(url string) []option.RequestOption {
		return []option.RequestOption{client, option.WithBaseURL(url), option.WithAPIKey("none")}
	}
	s, err := New(t.Context(), texts,
		at(cmp.Or(os.Getenv("OPENAI_BASE_URL"), "http://127.0.0.1:18080/v1")), at("http://127.0.0.1:18082/v1"))
	g.Expect(err).NotTo(HaveOccurred())

	question := "What happens if I type the wrong code five times?"
	answer, text, err := s.Ask(t.Context(), question)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(Equal(texts[0]))
	g.Expect(answer).To(BeFaithfulTo(text).Asked(question))
}
