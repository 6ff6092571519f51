package example_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func judgeCalled(model string) *ragtest.Judge {
	return ragtest.OpenAI(model).Named("llama.cpp b10068").Limits(1, 0).Timeout(10 * time.Minute).Probabilities()
}

func TestCalibration(t *testing.T) {
	g := NewWithT(t)
	for _, model := range []string{"qwen2.5-coder-1.5b"} {
		for _, set := range [][]ragtest.Labelled{fixtures.Claims40(), fixtures.ExpertQA60()} {
			c, err := judgeCalled(model).Calibrate(t.Context(), ragtest.Faithfulness, set)
			g.Expect(err).NotTo(HaveOccurred())
			for _, x := range c.Items {
				t.Log(x.Sample, x.Labels, x.Judge, x.P, x.Err)
			}
		}
	}
}
