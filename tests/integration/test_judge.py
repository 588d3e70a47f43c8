"""`sregym judge`: from a file of diagnoses to outcomes and agreement."""

from __future__ import annotations

import json

from sregym_core.errors import ExitCode
from sregym_core.testing import SregymProject

TRUTH = {
    "component": "mongodb-geo",
    "kind": "Deployment",
    "namespace": "hotel-reservation",
    "mechanism": "database privilege revoked",
    "detail": {"what": "role of user admin on geo-db", "from": "readWrite", "to": None},
    "contributing": ["mongodb-geo"],
    "affected": ["geo", "search", "frontend"],
    "impact": "geo fails at start, so hotel search returns errors.",
}
TEXTS = {
    "right": "mongodb-geo: the privilege readWrite of user admin on geo-db was revoked.",
    "wrong": "consul is the root cause: its disk is full.",
    "open": "Perhaps a privilege of mongodb-geo is gone.",
}


def rows(*, labelled: bool) -> str:
    cases = []
    for name, text in TEXTS.items():
        right = name == "right"
        case = {
            "id": name,
            "diagnosis": text,
            "ground_truth": [TRUTH],
            "components": ["mongodb-geo", "geo", "search", "frontend", "consul"],
            "style": "plain",
            "application": "Hotel Reservation",
        }
        if labelled:
            labels = {f"D{d}Q{q}": right for d in (1, 2, 3) for q in (1, 2, 3)}
            case |= {"labels": labels, "passed": right}
        cases.append(json.dumps(case))
    return "\n".join(cases)


def test_judge_tells_outcomes_and_agreement(module_project: SregymProject) -> None:
    file = module_project.folder / "cases.jsonl"
    file.write_text(rows(labelled=True))
    told = module_project.run("judge", str(file), "--json").assert_success().json()
    assert {case["id"]: case["outcome"] for case in told["cases"]} == {
        "right": "pass",
        "wrong": "fail",
        "open": "undecided",
    }
    first, second, third = told["cases"]
    assert sorted(first) == ["answers", "id", "outcome", "score"]
    assert set(first["answers"].values()) == {True}
    assert second["answers"]["D1Q1"] is False
    assert None in third["answers"].values()
    agreement = told["agreement"]
    assert (agreement["total"], agreement["undecided"], agreement["kappa"]) == (3, 1, 1.0)
    assert sorted(agreement["styles"]) == ["plain"]
    table = module_project.run("judge", str(file)).assert_success().out
    assert table.splitlines()[0].split() == ["ID", "OUTCOME", "SCORE", "LABEL", "STYLE"]
    assert "style plain" in table


def test_judge_without_labels_tells_no_agreement(module_project: SregymProject) -> None:
    file = module_project.folder / "bare.jsonl"
    file.write_text(rows(labelled=False))
    told = module_project.run("judge", str(file), "--json").assert_success().json()
    assert sorted(told) == ["cases", "judge"]


def test_an_oracle_that_needs_a_cluster_is_refused(module_project: SregymProject) -> None:
    file = module_project.folder / "other.jsonl"
    file.write_text(rows(labelled=False))
    done = module_project.run("judge", str(file), "--judge", "state")
    done.assert_exit(ExitCode.USAGE)
    assert done.err == (
        "sregym: oracle 'state' judges more than diagnoses and ground truth; choose one that derives "
        "from DiagnosisOracle, like 'checklist'\n"
    )
