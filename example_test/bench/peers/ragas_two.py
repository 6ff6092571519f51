"""Two metrics of Ragas on the benchmark's samples, with its disk cache, 16 measurements at once."""
import asyncio
import json
import os
import sys

import openai
from ragas.cache import DiskCacheBackend
from ragas.llms import llm_factory
from ragas.metrics.collections import ContextRecall, Faithfulness


async def main():
    client = openai.AsyncOpenAI()
    llm = llm_factory("bench", client=client, cache=DiskCacheBackend(os.environ["RAGTEST_BENCH_DIR"]))
    faithfulness, recall = Faithfulness(llm=llm), ContextRecall(llm=llm)
    gate = asyncio.Semaphore(16)

    async def measure(metric, **fields):
        async with gate:
            return (await metric.ascore(**fields)).value

    todo = []
    with open(os.environ["RAGTEST_BENCH_DATASET"]) as lines:
        for line in lines:
            s = json.loads(line)
            question, contexts = s["user_input"], s["retrieved_contexts"]
            todo.append(measure(faithfulness, user_input=question, response=s["response"], retrieved_contexts=contexts))
            todo.append(measure(recall, user_input=question, reference=s["reference"], retrieved_contexts=contexts))
    scores = await asyncio.gather(*todo)
    if not all(0 <= s <= 1 for s in scores):
        sys.exit(f"not all of {len(scores)} are scores")


asyncio.run(main())
