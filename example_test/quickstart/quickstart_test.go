package quickstart_test

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) {
	ragtest.Use(ragtest.OpenAI("qwen2.5-coder-1.5b").Named("llama.cpp b10068"))
	os.Exit(ragtest.Run(m))
}

func TestAnswerIsGrounded(t *testing.T) {
	g := NewWithT(t)

	question := "What happens if I type the wrong code five times?"
	docs := []string{"After five wrong codes in a row the screen is blocked for 20 minutes. The same code works again afterwards."}
	answer := "After five wrong codes in a row, the screen is blocked for 20 minutes."

	g.Expect(answer).To(BeFaithfulTo(docs...).Asked(question))
}
