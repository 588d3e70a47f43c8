"""Fit the weights of the text judge to labelled diagnoses, and say how far they carry.

    python tools/fit_judge.py CASES.jsonl            # figures alone
    python tools/fit_judge.py CASES.jsonl --write    # and write the weights, fitted to all cases

Incidents are parted in two halves by a hash of their names. Figures are given for the one half by
weights that were fitted to the other, and for all by weights that were fitted without the incident
in question. The labelled texts of the plugin's tests are fitted along with a small share, since
they know denials and lists that cases may lack.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml
from sregym_core.agreement import Agreement, Judged
from sregym_core.labelled import read_labelled
from sregym_core.model import Component, GroundTruth, ObjectRef
from sregym_oracle_checklist.answers import bounded
from sregym_oracle_checklist.evidence import Evidence
from sregym_oracle_checklist.naming import Names
from sregym_oracle_checklist.profile import Profile
from sregym_oracle_checklist.scoring import ASKED, FIGURES, SPEAKS_AGAINST, SPEAKS_FOR, Weights

PLUGIN = Path(__file__).parent.parent / "plugins" / "sregym-oracle-checklist"
WEIGHTS = PLUGIN / "src" / "sregym_oracle_checklist" / "weights.json"
TEXTS = PLUGIN / "tests" / "calibration"
# Chosen by leaving incidents out, in the development half.
RIDGE, STEPS, RATE = 5.0, 200, 0.3
SHARE_OF_TESTS = 0.08
FOLDS = 11
YES = {"origin": 0.70, "mechanism": 0.70, "diagnosis": 0.66}
NO = {"origin": 0.40, "mechanism": 0.40, "diagnosis": 0.40}


@dataclass(frozen=True)
class Sample:
    """One text held against one truth; an answer of None is not known."""

    incident: str
    style: str
    application: str
    evidence: Evidence
    answers: dict[str, bool | None]

    def row(self) -> list[tuple[int, float]]:
        """Figures that are not zero, by place."""
        figures = self.evidence.figures
        return [(place, figures[name]) for place, name in enumerate(FIGURES) if figures[name]]


def cases(path: Path) -> list[Sample]:
    """Labelled diagnoses with one root cause or several that are named together."""
    samples = []
    for case in read_labelled(path):
        if case.labels is None or case.passed is None:
            continue
        truths = case.truths()
        evidence = Evidence(
            case.diagnosis, Profile(truths[0], truths[1:]), Names(case.parts(), truths)
        )
        labels = case.labels
        answers: dict[str, bool | None] = {
            "origin": labels["D1Q1"] and labels["D1Q2"],
            "mechanism": labels["D2Q1"],
            "diagnosis": case.passed,
        }
        samples.append(Sample(case.problem, case.style, case.application, evidence, answers))
    return samples


def texts_of_tests() -> list[Sample]:
    """The plugin's own labelled texts; they say which dimension is wrong, not which is right."""
    truths, parts = _truths(), _parts()
    samples = []
    for file in ("first_half", "second_half", "third_part", "probes", "network"):
        for case in yaml.safe_load((TEXTS / f"{file}.yaml").read_text()):
            truth, right = truths[case["truth"]], case["kind"] == "true"
            wrong = case.get("fails")
            evidence = Evidence(case["text"], Profile(truth), Names(parts, [truth]))
            answers = {
                "origin": True if right else (False if wrong == "localisation" else None),
                "mechanism": True if right else (False if wrong == "characterisation" else None),
                "diagnosis": right,
            }
            samples.append(Sample(case["truth"], case["kind"], "tests", evidence, answers))
    return samples


def _truths() -> dict[str, GroundTruth]:
    return {
        name: GroundTruth.model_validate(fact)
        for file in ("truths.yaml", "network_truths.yaml")
        for name, fact in yaml.safe_load((TEXTS / file).read_text()).items()
    }


def _parts() -> list[Component]:
    facts = yaml.safe_load((TEXTS / "application.yaml").read_text())
    return [_component(name, fact) for name, fact in facts.items()]


def _component(name: str, facts: dict[str, object]) -> Component:
    workload = ObjectRef(api_version="apps/v1", kind="Deployment", name=name)
    return Component(
        name=name, kind=str(facts["kind"]), namespace="", workload=workload,
        container=str(facts["container"]), image="", callers=tuple(facts["callers"]),
    )  # fmt: skip


def fit(samples: list[Sample], more: list[Sample], asked: str) -> Weights:
    """Logistic regression by gradient descent; weights point only where their figures speak."""
    rows = [
        (sample.row(), float(answer), share)
        for pool, share in ((samples, 1.0), (more, SHARE_OF_TESTS))
        for sample in pool
        if (answer := sample.answers[asked]) is not None
    ]
    whole = sum(share for _, _, share in rows)
    signs = [(name in SPEAKS_FOR) - (name in SPEAKS_AGAINST) for name in FIGURES]
    weights, bias = [0.0] * len(FIGURES), 0.0
    rate = 4 * RATE / whole
    for _ in range(STEPS):
        slopes, slope = [RIDGE * weight for weight in weights], 0.0
        for row, answer, share in rows:
            odds = bias + sum(weights[place] * value for place, value in row)
            miss = (1 / (1 + math.exp(-odds)) - answer) * share
            slope += miss
            for place, value in row:
                slopes[place] += miss * value
        bias -= rate * slope
        for place, sign in enumerate(signs):
            weights[place] -= rate * slopes[place]
            if sign and weights[place] * sign < 0:
                weights[place] = 0.0
    kept = {n: round(w, 4) for n, w in zip(FIGURES, weights, strict=True) if round(w, 4)}
    return Weights(round(bias, 4), kept, YES[asked], NO[asked])


def judged(weights: Weights, sample: Sample) -> bool | None:
    """What the judge would say of the whole diagnosis."""
    return bounded(weights, sample.evidence)


def told(name: str, found: list[tuple[Sample, bool | None]]) -> Agreement:
    """Print a line of figures."""
    agreement = Agreement.of(
        Judged(s.style, s.application, verdict, bool(s.answers["diagnosis"]))
        for s, verdict in found
    )
    whole = agreement.as_json()
    keys = ("total", "undecided", "kappa", "kappa_interval", "false_passes", "false_fails")
    print(name, ", ".join(f"{key} {whole[key]}" for key in keys))
    return agreement


def main() -> int:
    """Fit, tell, and write when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", type=Path, help="labelled diagnoses, one JSON object a line")
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all")
    arguments = parser.parse_args()
    samples, more = cases(arguments.cases), texts_of_tests()
    # The order of hashes and not their parity: both halves are as large as can be.
    incidents = sorted(
        {s.incident for s in samples},
        key=lambda i: hashlib.sha256(f"split{i}".encode()).hexdigest(),
    )
    developed = set(incidents[: len(incidents) // 2])
    dev = [s for s in samples if s.incident in developed]
    held = [s for s in samples if s.incident not in developed]
    for name, pool in (("development half", dev), ("all", samples)):
        told(f"{name}, incidents left out:", left_out(pool, more))
    weights = fit(dev, more, "diagnosis")
    told("held-out half by the other:", [(s, judged(weights, s)) for s in held])
    final = {asked: fit(samples, more, asked) for asked in ASKED}
    told("fitted to all:", [(s, judged(final["diagnosis"], s)) for s in samples])
    told("texts of tests:", [(s, judged(final["diagnosis"], s)) for s in more])
    if arguments.write:
        content = {
            asked: {"bias": w.bias, "yes": w.yes, "no": w.no, "of": dict(w.of)}
            for asked, w in final.items()
        }
        WEIGHTS.write_text(json.dumps(content, indent=1) + "\n")
        print(f"wrote {WEIGHTS.name}: {dict(Counter(n for w in final.values() for n in w.of))}")
    return 0


def left_out(samples: list[Sample], more: list[Sample]) -> list[tuple[Sample, bool | None]]:
    """Each text as weights judge it that were fitted without its incident."""
    incidents = sorted({s.incident for s in samples})
    found = []
    for fold in range(FOLDS):
        left = set(incidents[fold::FOLDS])
        weights = fit([s for s in samples if s.incident not in left], more, "diagnosis")
        found += [(s, judged(weights, s)) for s in samples if s.incident in left]
    return found


if __name__ == "__main__":
    sys.exit(main())
