package agreement_test

import (
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

func init() {
	stats["landis_koch_band"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct{ Kappa float64 }
		v.read(t, &struct{}{}, &in)
		return map[string]any{"band": agreement.LandisKoch(in.Kappa).Name}, nil
	}
}

func TestBands(t *testing.T) {
	for kappa, want := range map[float64]string{
		-0.001: "poor (Landis and Koch 1977)", 0.2: "slight (Landis and Koch 1977)",
		1: "almost perfect (Landis and Koch 1977)", 1.2: "unnamed (Landis and Koch 1977)",
	} {
		if got := agreement.LandisKoch(kappa).String(); got != want {
			t.Errorf("%v is %s, want %s", kappa, got, want)
		}
	}
	if got := agreement.LandisKoch(math.NaN()).Name; got != "" {
		t.Errorf("NaN is %s, want no name", got)
	}
	for kappa, want := range map[float64]string{
		-0.1: "unnamed (Yan 2025)", 0.399: "unnamed (Yan 2025)", 0.4: "substantial (Yan 2025)", 0.6: "substantial (Yan 2025)",
		0.601: "unnamed (Yan 2025)", 0.7: "unnamed (Yan 2025)", 0.701: "excellent (Yan 2025)", 1: "excellent (Yan 2025)",
	} {
		if got := agreement.Yan(kappa).String(); got != want {
			t.Errorf("%v is %s, want %s", kappa, got, want)
		}
	}
}
