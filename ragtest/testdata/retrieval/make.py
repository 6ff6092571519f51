"""Writes values.json: rankings and their scores as known implementations compute them.

pytrec_eval gives every value it has, ranx the rest (mrr@k and nDCG with exponential gain).
Each value is checked against other implementations and against scores(), which follows
the definitions and shares no code with any of them.
"""
import json
import math
import pathlib
import random
import warnings

import numpy
import pytrec_eval
import ranx
from sklearn.metrics import ndcg_score

warnings.filterwarnings("ignore")  # numba, of a cast within ranx
CUTS = [1, 3, 5, 10, 20]
TREC = {"recall": "recall_", "precision": "P_", "hit_rate": "success_", "map": "map_cut_", "ndcg": "ndcg_cut_"}
TREC_WHOLE = {"mrr": "recip_rank", "map": "map", "ndcg": "ndcg"}
RANX = {"ndcg_exponential": "ndcg_burges"}
WHOLE = ["mrr", "map", "ndcg", "ndcg_exponential"]
NAMES = [f"{m}_at_{k}" for m in [*TREC, "mrr", "ndcg_exponential"] for k in CUTS] + WHOLE


def docs(*numbers):
    return [f"d{n}" for n in numbers]


def by_hand():
    """The edges: each is named by what is particular about it."""
    ten, far = docs(*range(1, 11)), docs(*range(101, 131))
    yield "nothing-retrieved", [], ten[:3], None
    yield "nothing-retrieved-graded", [], ten[:3], [4, 0, 1]
    yield "no-overlap", far[:10], ten[:4], None
    yield "no-overlap-graded", far[:10], ten[:4], [1, 2, 3, 4]
    yield "all-first", ten[:4] + far[:8], ten[:4], None
    yield "all-first-best-order", ten[:4] + far[:8], ten[:4], [4, 3, 2, 1]
    yield "all-first-worst-order", ten[:4] + far[:8], ten[:4], [1, 2, 3, 4]
    yield "all-last", far[:16] + ten[:4], ten[:4], None
    yield "all-last-graded", far[:16] + ten[:4], ten[:4], [2, 4, 1, 3]
    yield "only-the-relevant", ten, ten, None
    yield "only-the-relevant-reversed", ten[::-1], ten, [4, 4, 3, 3, 2, 2, 1, 1, 1, 1]
    yield "more-relevant-than-any-cut", docs(*range(1, 31)), docs(*range(1, 26)), None
    yield "more-relevant-than-retrieved", ten[:2], ten, None
    yield "more-relevant-than-retrieved-graded", ten[:2], ten, [1, 1, 4, 4, 3, 3, 2, 2, 1, 0]
    yield "fewer-retrieved-than-three", ["d1", "d101"], ten[:2], None
    yield "fewer-retrieved-than-five", ["d101", "d1", "d102", "d2"], ten[:2], [1, 3]
    yield "fewer-retrieved-than-twenty", far[:11] + ["d1"], ten[:2], None
    yield "one-retrieved-right", ["d1"], ["d1"], None
    yield "one-retrieved-wrong", ["d101"], ["d1"], None
    yield "one-retrieved-of-many", ["d3"], ten, [1, 2, 3, 4, 0, 1, 2, 3, 4, 0]
    yield "one-relevant-graded", far[:2] + ["d1"], ["d1"], [4]
    for rank in [1, 2, 3, 4, 5, 6, 10, 11, 20, 21]:  # each side of every cut
        yield f"one-relevant-at-{rank}", far[: rank - 1] + ["d1"] + far[rank - 1 : 24], ["d1"], None
    yield "zeros-before-the-relevant", ten[:6], ten[:6], [0, 0, 0, 0, 0, 2]
    yield "zeros-after-the-relevant", ten[:6], ten[:6], [2, 0, 0, 0, 0, 0]
    yield "zeros-not-retrieved", ten[:2] + far[:3], ten, [1, 2] + [0] * 8
    yield "zeros-only-retrieved", ten[3:6], ten[:6], [3, 2, 1, 0, 0, 0]
    for grade in [1, 2, 4]:
        yield f"all-grades-{grade}", ["d101", "d2", "d1", "d102", "d4"], ten[:5], [grade] * 5
    yield "unjudged-between", [d for pair in zip(ten[:6], far) for d in pair], ten[:6], [3, 0, 1, 4, 0, 2]
    yield "unjudged-between-first", [d for pair in zip(far, ten[:6]) for d in pair], ten[:6], None
    long = docs(*range(1001, 1201))
    yield "long-list", long, long[5::20], None
    yield "long-list-graded", long, [*long[3::17], "d1", "d2"], [i % 5 for i in range(12)] + [4, 2]
    yield "long-list-only-the-last", long, [long[-1]], None
    yield "long-list-beyond-every-cut", long, long[20:32], [1 + i % 4 for i in range(12)]


def at_random(n):
    """Rankings from pools of several sizes, so that the overlap goes from little to nearly all."""
    rng = random.Random(20260101)
    for i in range(n):
        pool = docs(*range(1, rng.choice([31, 40, 60, 100])))
        retrieved = rng.sample(pool, rng.randint(0, 30))
        reference = rng.sample(pool, rng.randint(1, 12))
        grades = None
        if i % 2:
            grades = [rng.randint(0, 4) for _ in reference]
            if not any(grades):
                grades[0] = 1
        yield f"random-{i + 1}", retrieved, reference, grades


def scores(retrieved, grade):
    """Every score, by its definition."""
    found = [grade.get(d, 0) for d in retrieved]
    relevant = sum(g > 0 for g in grade.values())
    best = sorted(grade.values(), reverse=True)

    def hits(k):
        return sum(g > 0 for g in found[:k])

    def mrr(k):
        return max((1 / (i + 1) for i, g in enumerate(found[:k]) if g), default=0.0)

    def average(k):
        return math.fsum(hits(i + 1) / (i + 1) for i, g in enumerate(found[:k]) if g) / relevant

    def ndcg(k, gain):
        dcg, ideal = (math.fsum(gain(g) / math.log2(i + 2) for i, g in enumerate(gs[:k])) for gs in (found, best))
        return dcg / ideal

    out = {}
    for k in [*CUTS, None]:
        at = f"_at_{k}" if k else ""
        out |= {"mrr" + at: mrr(k), "map" + at: average(k)}
        out |= {"ndcg" + at: ndcg(k, float), "ndcg_exponential" + at: ndcg(k, lambda g: 2.0**g - 1)}
        if k:
            out |= {"recall" + at: hits(k) / relevant, "precision" + at: hits(k) / k}
            out |= {"hit_rate" + at: float(hits(k) > 0)}
    return out


def variants(retrieved, grade):
    """Other definitions in use, to count how many cases tell them from the table's."""
    found = [grade.get(d, 0) for d in retrieved]
    right = scores(retrieved, grade)
    relevant = sum(g > 0 for g in grade.values())
    own = scores(retrieved, {d: grade.get(d, 0) for d in retrieved}) if any(found) else right
    for k in CUTS:
        hits = sum(g > 0 for g in found[:k])
        yield "precision@k over the retrieved", f"precision_at_{k}", hits / max(1, min(k, len(found)))
        yield "recall@k over min(k, relevant)", f"recall_at_{k}", hits / min(k, relevant)
        yield "recall@k over all judged", f"recall_at_{k}", hits / len(grade)
        yield "AP@k over min(k, relevant)", f"map_at_{k}", right[f"map_at_{k}"] * relevant / min(k, relevant)
        yield "AP@k over the relevant in the top k", f"map_at_{k}", right[f"map_at_{k}"] * relevant / max(1, hits)
        yield "nDCG@k, ideal of the retrieved only", f"ndcg_at_{k}", own[f"ndcg_at_{k}"]
        yield "nDCG@k, ideal not cut", f"ndcg_at_{k}", scores(retrieved[:k], grade)["ndcg"]
        yield "nDCG@k, exponential for linear gain", f"ndcg_at_{k}", right[f"ndcg_exponential_at_{k}"]


def by_trec(runs, grades):
    cuts = ",".join(map(str, CUTS))
    measures = {t + cuts for t in TREC.values()} | set(TREC_WHOLE.values())
    evaluator = pytrec_eval.RelevanceEvaluator(grades, measures)
    for name, got in evaluator.evaluate(runs).items():
        out = {f"{m}_at_{k}": got[f"{t}{k}"] for m, t in TREC.items() for k in CUTS}
        yield name, out | {m: got[t] for m, t in TREC_WHOLE.items()}


def by_ranx(runs, grades):
    run = ranx.Run(runs)
    for name in NAMES:
        metric, _, k = name.partition("_at_")
        metric = RANX.get(metric, metric) + (f"@{k}" if k else "")
        ranx.evaluate(ranx.Qrels(grades), run, metric)
        for case, value in run.scores[metric].items():
            yield case, name, float(value)


def by_sklearn(retrieved, grade, k):
    """sklearn ranks all it is given, so the documents that were not retrieved come last."""
    everything = [*retrieved, *(d for d in grade if d not in retrieved)]
    if len(everything) < 2:
        return None  # it refuses a single document
    truth = numpy.array([[grade.get(d, 0) for d in everything]])
    return float(ndcg_score(truth, -numpy.arange(len(everything))[None, :], k=k))


def without_relevant():
    """What the implementations say where no document is relevant; such cases are not in the table."""
    for what, grades in {"all grades 0": {"d1": 0, "d2": 0}, "none judged": {}}.items():
        grades, runs = {"none": grades, "other": {"d1": 1}}, {"none": {"d1": 2.0, "d3": 1.0}, "other": {"d1": 1.0}}
        evaluator = pytrec_eval.RelevanceEvaluator(grades, {"map", "ndcg", "recip_rank"})
        trec = evaluator.evaluate(runs).get("none", "left out")
        run = ranx.Run(runs)
        ranx.evaluate(ranx.Qrels(grades), run, ["map", "ndcg", "mrr"])
        yield what, trec, {m: float(v["none"]) for m, v in run.scores.items()}


class Tally:
    """Counts how many values of an implementation agree with the table's, by metric."""

    def __init__(self):
        self.rows = {}

    def add(self, who, name, a, b):
        row = self.rows.setdefault((who, name.partition("_at_")[0] + ("@k" if "_at_" in name else "")), [0, 0, 0, 0.0])
        row[0] += 1
        row[1] += a == b
        row[2] += abs(a - b) <= 1e-12
        row[3] = max(row[3], abs(a - b))

    def print(self):
        print(f"{'implementation':38}{'metric':20}{'values':>7}{'same':>7}{'<=1e-12':>9}  largest difference")
        for (who, name), (n, same, near, most) in sorted(self.rows.items()):
            print(f"{who:38}{name:20}{n:7}{same:7}{near:9}  {most:.3g}")


def main():
    cases = [*by_hand(), *at_random(260)]
    grades = {i: dict(zip(ref, g or [1] * len(ref), strict=True)) for i, _, ref, g in cases}
    runs = {i: {d: float(len(got) - r) for r, d in enumerate(got)} for i, got, _, _ in cases}
    trec = dict(by_trec(runs, grades))
    ranxes = {i: {} for i in runs}
    for i, name, value in by_ranx(runs, grades):
        ranxes[i][name] = value
    # What pytrec_eval has no measure for it still computes: mrr@k of a cut run, nDCG of other grades.
    cut = {k: dict(by_trec({i: dict([*r.items()][:k]) for i, r in runs.items()}, grades)) for k in CUTS}
    raised = dict(by_trec(runs, {i: {d: 2**g - 1 for d, g in gs.items()} for i, gs in grades.items()}))

    tally, told, lines = Tally(), {}, []
    for i, retrieved, reference, given in cases:
        assert len(set(retrieved)) == len(retrieved) and len(grades[i]) == len(reference) and any(grades[i].values())
        plain = scores(retrieved, grades[i])
        expected = {n: trec[i].get(n, ranxes[i][n]) for n in NAMES}
        for n, value in expected.items():
            assert abs(value - plain[n]) <= 1e-12, (i, n, value, plain[n])
            tally.add("the definitions", n, value, plain[n])
        for n in expected:
            metric, _, k = n.partition("_at_")
            if n in trec[i]:
                tally.add("ranx", n, expected[n], ranxes[i][n])
            elif metric == "mrr":
                tally.add("pytrec_eval, run cut at k", n, expected[n], cut[int(k)][i]["mrr"])
            else:
                tally.add("pytrec_eval, grades raised", n, expected[n], raised[i][n.replace("_exponential", "")])
            if not metric.startswith("ndcg"):
                continue
            exponential = metric == "ndcg_exponential"
            grade = {d: 2**g - 1 if exponential else g for d, g in grades[i].items()}
            value = by_sklearn(retrieved, grade, int(k) if k else None)
            missed = any(g and d not in retrieved for d, g in grade.items())
            if value is not None:
                short = missed and (not k or int(k) > len(retrieved))
                tally.add("sklearn, list too short" if short else "sklearn", n, expected[n], value)
        for variant, n, value in variants(retrieved, grades[i]):
            if abs(value - expected[n]) > 1e-9:
                told.setdefault(variant, set()).add(i)
        case = {"id": i, "retrieved": retrieved, "reference": reference}
        lines.append(json.dumps(case | ({"grades": given} if given else {}) | {"expected": expected}))

    text = "[\n" + ",\n".join(lines) + "\n]\n"
    pathlib.Path(__file__).with_name("values.json").write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(cases)} cases, {len(cases) * len(NAMES)} values")
    tally.print()
    for what, trec, ranxes in without_relevant():
        print(f"no relevant document, {what}: pytrec_eval {trec}, ranx {ranxes}")
    print("cases that tell another definition from the table's:")
    for variant, ids in told.items():
        print(f"{variant:38}{len(ids):5}")


main()
