"""Fit the weights of the text judge to labelled diagnoses, and say how far they carry.

    python tools/fit_judge.py CASES.jsonl            # figures alone
    python tools/fit_judge.py CASES.jsonl --write    # and write the weights, fitted to all cases

CASES are further diagnoses in the format of `sregym judge`; the plugin's own, of 142 incidents, are always
there, and the judge was mended on them. Their figures are by weights fitted without the incident in question.
Those of 28 incidents more are held out: no weight has seen them, and of them figures alone are looked at.
The one-line texts of the plugin's tests are fitted along with a small share, since they know denials and
lists that cases may lack.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from sregym_core.model import Component, ConfigUse, GroundTruth, ObjectRef, VolumeUse
from sregym_judge.agreement import Agreement, JudgedDiagnosis
from sregym_judge.labelled import read_labelled
from sregym_oracle_checklist.answer_rules import bounded
from sregym_oracle_checklist.evidence import Evidence
from sregym_oracle_checklist.naming import Names
from sregym_oracle_checklist.profile import Profile
from sregym_oracle_checklist.scoring import ASKED, FIGURES, SPEAKS_AGAINST, SPEAKS_FOR, Weights

PLUGIN = Path(__file__).parent.parent / "plugins" / "sregym-oracle-checklist"
WEIGHTS = PLUGIN / "src" / "sregym_oracle_checklist" / "weights.json"
TEXTS = PLUGIN / "tests" / "calibration"
# Chosen by leaving incidents out, in the development half.
RIDGE, STEPS, RATE = 5.0, 200, 0.3
SHARE_OF_TESTS = 0.2
FOLDS = 11
LEARNED = (
    "incidents_first",
    "incidents_second",
    "further_first",
    "further_second",
    "catalogue_learned",
    "catalogue_second",
    "near_misses",
)
HELD_OUT = "rephrasings_held_out"
YES = {"origin": 0.70, "mechanism": 0.70, "diagnosis": 0.65}
NO = {"origin": 0.40, "mechanism": 0.40, "diagnosis": 0.45}


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
        ground_truths = case.ground_truths()
        evidence = Evidence(
            case.diagnosis,
            Profile(ground_truths[0], ground_truths[1:]),
            Names(case.parts(), ground_truths),
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
    ground_truths, parts = _ground_truths(), _parts()
    samples = []
    for file in ("first_half", "second_half", "third_part", "probes", "network"):
        for case in yaml.safe_load((TEXTS / f"{file}.yaml").read_text()):
            truth, right = ground_truths[case["truth"]], case["kind"] == "true"
            wrong = case.get("fails")
            evidence = Evidence(case["text"], Profile(truth), Names(parts, [truth]))
            answers = {
                "origin": True if right else (False if wrong == "localisation" else None),
                "mechanism": True if right else (False if wrong == "characterisation" else None),
                "diagnosis": right,
            }
            samples.append(Sample(case["truth"], case["kind"], "tests", evidence, answers))
    return samples


def _ground_truths() -> dict[str, GroundTruth]:
    return {
        name: GroundTruth.model_validate(fact)
        for file in ("truths.yaml", "network_truths.yaml")
        for name, fact in yaml.safe_load((TEXTS / file).read_text()).items()
    }


def _parts() -> list[Component]:
    facts = yaml.safe_load((TEXTS / "application.yaml").read_text())
    return [_component(name, fact) for name, fact in facts.items()]


def _ref(kind: str, name: object) -> ObjectRef:
    return ObjectRef(api_version="v1", kind=kind, name=str(name))


def _component(name: str, facts: dict[str, Any]) -> Component:
    return Component(
        name=name, kind=str(facts["kind"]), namespace="", workload=_ref("Deployment", name),
        container=str(facts["container"]), image="", callers=tuple(facts["callers"]), service=_ref("Service", name),
        config=tuple(ConfigUse(source=_ref("ConfigMap", n)) for n in facts.get("config", ())),
        volumes=tuple(VolumeUse(claim=n, path="/data") for n in facts.get("claims", ())),
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
        for row, wanted, share in rows:
            odds = bias + sum(weights[place] * value for place, value in row)
            miss = (1 / (1 + math.exp(-odds)) - wanted) * share
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
        JudgedDiagnosis(s.style, s.application, verdict, bool(s.answers["diagnosis"]))
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
    parser.add_argument("--held-out", action="store_true", help="tell of the texts held out, too")
    arguments = parser.parse_args()
    given, more = cases(arguments.cases), texts_of_tests()
    sets = {part: cases(TEXTS / f"{part}.jsonl") for part in LEARNED}
    learned = [one for part in sets.values() for one in part]
    seen = [*given, *learned]
    told("given, without the incident:", left_out(given, learned, more))
    left = left_out(learned, given, more)
    told("learned, without the incident:", left)
    for name, part in sets.items():
        own = set(map(id, part))
        told(f"  of these {name}:", [one for one in left if id(one[0]) in own])
    final = {asked: fit(seen, more, asked) for asked in ASKED}
    pools = {
        "given": given,
        "learned": learned,
        "texts of tests": more,
        "held out": cases(TEXTS / f"{HELD_OUT}.jsonl"),
    }
    for name, pool in pools.items():
        if name != "held out" or arguments.held_out:
            told(f"{name}, as installed:", [(s, judged(final["diagnosis"], s)) for s in pool])
    if arguments.write:
        content = {
            asked: {"bias": w.bias, "yes": w.yes, "no": w.no, "of": dict(w.of)}
            for asked, w in final.items()
        }
        WEIGHTS.write_text(json.dumps(content, indent=1) + "\n")
        print(f"wrote {WEIGHTS.name}: {dict(Counter(n for w in final.values() for n in w.of))}")
    return 0


def left_out(
    samples: list[Sample], others: list[Sample], more: list[Sample]
) -> list[tuple[Sample, bool | None]]:
    """Each text as weights judge it that were fitted without its incident."""
    incidents = sorted({s.incident for s in samples})
    found = []
    for fold in range(FOLDS):
        left = set(incidents[fold::FOLDS])
        weights = fit([*(s for s in samples if s.incident not in left), *others], more, "diagnosis")
        found += [(s, judged(weights, s)) for s in samples if s.incident in left]
    return found


if __name__ == "__main__":
    sys.exit(main())
