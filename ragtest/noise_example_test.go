package ragtest_test

import (
	"context"
	"fmt"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// sure is a judge within the process that supports everything. In a test it is
// ragtest.OpenAI("…").
func sure() *ragtest.Judge {
	c, err := cache.Open(cache.Options{Mode: cache.Off})
	if err != nil {
		panic(err)
	}
	return ragtest.NewJudgeClient(clientFunc(answer), "in-process", "sure").CachedIn(c)
}

func ExampleConfirmed() {
	// 1.00 is within 0.1 of 0.95, so there is a second look.
	m := ragtest.Confirmed(ragtest.Faithfulness, 0.95, 0.1, 3)
	score, err := sure().Measure(context.Background(), m, bridge)
	fmt.Println(score, err)
	// Output:
	// faithfulness_confirmed_3_within_0.1_of_0.95 1.00
	//   ✓ 1. A
	//   ✓ 2. first look, which has no vote: faithfulness 1 (1/1)
	//   ✓ 3. trial 1 of 3: faithfulness 1 (1/1)
	//   ✓ 4. trial 2 of 3: faithfulness 1 (1/1)
	//   ✓ 5. trial 3 of 3: faithfulness 1 (1/1)
	// judge: sure at in-process, uncalibrated; 4 claims/v2, 4 verify/v2; asked <nil>
}

func ExampleJudge_Noise() {
	noise, err := sure().Temperature(0.7).Noise(context.Background(), ragtest.Faithfulness, []ragtest.Sample{bridge}, 5)
	fmt.Println(noise, err)
	// Output:
	// faithfulness by sure at in-process, 5 trials of 1 samples: a verdict flips in 0.0 % (0 of 10); a score's standard deviation is 0.000
	// worth believing, as the judge's noise goes: 0.000 or more of 10 samples, 0.000 or more of 30 samples, 0.000 or more of 100 samples <nil>
}
