"""Two metrics of DeepEval on the benchmark's samples, for `deepeval test run -c`."""
import json
import os

import pytest
from deepeval import assert_test
from deepeval.metrics import ContextualRecallMetric, FaithfulnessMetric
from deepeval.test_case import LLMTestCase

with open(os.environ["RAGTEST_BENCH_DATASET"]) as lines:
    SAMPLES = [json.loads(line) for line in lines]


@pytest.mark.parametrize("s", SAMPLES, ids=[s["name"] for s in SAMPLES])
def test_sample(s):
    case = LLMTestCase(
        input=s["user_input"],
        actual_output=s["response"],
        expected_output=s["reference"],
        retrieval_context=s["retrieved_contexts"],
    )
    # A model that it knows to take JSON schemas; the judge does not look at the name.
    settings = {"threshold": 0, "model": "gpt-4o-mini"}
    assert_test(case, [FaithfulnessMetric(**settings), ContextualRecallMetric(**settings)])
