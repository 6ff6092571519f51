package lexical_test

import (
	"fmt"
	"testing"
)

func TestChrFIsSacrebleu(t *testing.T) {
	o := readOriginals(t)
	for _, p := range o.Pairs {
		for i, want := range p.ChrF {
			if p.blank() {
				want = 0
			}
			p.equal(t, fmt.Sprintf("chrF %+v", o.ChrF[i]), o.chrf(i).Compare(p.Answer, p.Reference).Value, min(1, want))
		}
	}
}
