package specs_test

import (
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "the help centre's assistant")
}

var _ = BeforeSuite(func() {
	ragtest.Use(ragtest.OpenAI("qwen2.5-coder-1.5b").
		Named("llama.cpp b10068").
		Limits(1, 0).
		Timeout(10 * time.Minute))
})

var _ = AfterSuite(func() {
	Expect(ragtest.Close()).To(Succeed())
})
