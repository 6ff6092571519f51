package measured_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

func by(pkg, model string) ragtest.Record {
	r := ragtest.Record{Package: pkg, Model: model}
	if model != "" {
		r.Identity = "e"
	}
	return r
}

func TestGroups(t *testing.T) {
	for name, test := range map[string]struct {
		records []ragtest.Record
		groups  []string
		judges  []string
	}{
		"nobody":              {[]ragtest.Record{by("a", ""), by("b", "")}, []string{"", ""}, nil},
		"one judge":           {[]ragtest.Record{by("a", ""), by("a", "m"), by("b", "")}, []string{"m at e", "m at e", "m at e"}, []string{"m at e"}},
		"two judges":          {[]ragtest.Record{by("a", "m"), by("a", ""), by("a", "n")}, []string{"m at e", "", "n at e"}, []string{"m at e", "n at e"}},
		"one in each package": {[]ragtest.Record{by("a", ""), by("a", "m"), by("b", ""), by("b", "n"), by("c", "")}, []string{"m at e", "m at e", "n at e", "n at e", ""}, []string{"m at e", "n at e"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(measured.Groups(test.records)).To(Equal(test.groups))
			g.Expect(measured.Judges(test.records)).To(Equal(test.judges))
		})
	}
}
