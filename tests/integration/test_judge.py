"""`sregym judge`: from a file of diagnoses to outcomes and agreement."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.testing import Provider, Turn, provider, use
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

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


PROBLEM = "scale_to_zero_hotel_reservation"
QUESTIONS = (
    "component", "origin", "no-healthy-blamed", "mechanism", "detail", "no-wrong-mechanism",
    "nobody-uninvolved", "contributing", "impact",
)  # fmt: skip


def answered(word: str) -> Turn:
    one = {"evidence": "recommendation", "confidence": 1.0, "answer": word}
    return use("answers", answers=[{"question": question, **one} for question in QUESTIONS])


@pytest.fixture(scope="module")
def model() -> Iterator[Provider]:
    """A provider whose model finds everything right."""
    with provider(answered("yes")) as served:
        yield served


def choice(model: Provider) -> str:
    return f"judge:model=openai:scripted,base_url={model.url}/v1,cache=none"


@pytest.fixture(scope="module")
def played(module_project: SregymProject) -> Path:
    """A run of one episode."""
    words = ("--agent", "expert", "--reward", "stages:solved=0.25", "--out", "played")
    module_project.run("run", PROBLEM, *words).assert_success()
    return module_project.folder / "played"


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A run with a diagnosis that was left undecided."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    file = folder / "episodes" / "e0001" / "record.json"
    record = json.loads(file.read_text())
    verdict = record["diagnosis"]["verdict"]
    verdict["outcome"] = "undecided"
    verdict["checks"][3] |= {"got": "unknown", "outcome": "undecided"}
    record["outcome"] = "undecided"
    record["reward"]["total"] = 0.3
    file.write_text(json.dumps(record))
    return folder


def record_of(run: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((run / "episodes" / "e0001" / "record.json").read_text())
    return record


def test_a_model_decides_what_was_left_undecided(
    module_project: SregymProject, run: Path, model: Provider
) -> None:
    words = ("judge", "--run", str(run), "--judge", choice(model), "--json")
    told = module_project.run(*words).assert_success().json()
    [episode] = told["episodes"]
    assert (episode["problem"], episode["before"], episode["outcome"]) == (
        PROBLEM,
        "undecided",
        "pass",
    )
    assert told["usage"]["requests"] == 1
    record = record_of(run)
    assert record["outcome"] == record["diagnosis"]["verdict"]["outcome"] == "pass"
    first, second = record["diagnosis"]["judgements"]
    assert (first["by"], first["verdict"]["outcome"]) == ("", "undecided")
    assert (second["by"], second["verdict"]["usage"]["prompt_tokens"] > 0) == (choice(model), True)
    # What it is worth follows, by the weights that the run was begun with.
    terms = {"diagnosis": 0.2, "mitigation": 0.3, "solved": 0.25}
    assert record["reward"] == {"name": "stages", "total": 0.75, "terms": terms}
    [line] = (run / "episodes.jsonl").read_text().splitlines()
    assert json.loads(line)["outcome"] == "pass"
    summary = json.loads((run / "run.json").read_text())["summary"]
    assert summary["agents"]["expert"]["diagnosed"] == 1
    # Nothing is left to decide.
    assert module_project.run(*words).assert_success().json()["episodes"] == []


def test_a_judge_that_fails_changes_nothing(module_project: SregymProject, run: Path) -> None:
    with provider(answered("yes")) as model:
        model.status = 400
        done = module_project.run("judge", "--run", str(run), "--judge", choice(model))
    assert "e0001: model 'scripted' did not judge: status_code: 400" in done.assert_success().out
    record = record_of(run)
    assert record["outcome"] == "undecided"
    outcomes = [one["verdict"]["outcome"] for one in record["diagnosis"]["judgements"]]
    assert outcomes == ["undecided", "error"]


def test_a_person_reviews(module_project: SregymProject, run: Path) -> None:
    words = ("judge", "--review", str(run), "--by", "Ada")
    stopped = module_project.run(*words, stdin="y\nmaybe\nq\n").assert_success()
    assert stopped.out == "0 reviewed by Ada, 1 undecided\n"
    assert "'maybe' is no answer: y, n, ?, Enter or q\n" in stopped.err
    assert (
        "judgements" not in record_of(run)["diagnosis"]
        or not record_of(run)["diagnosis"]["judgements"]
    )
    done = module_project.run(*words, stdin="\n\n\nn\n\n\n\n\n\n").assert_success()
    assert done.out == "1 reviewed by Ada, 0 undecided\n"
    for shown in ("Submitted:", "Ground truth:", "Is the kind of defect the right one? [?]"):
        assert shown in done.err
    record = record_of(run)
    assert record["outcome"] == "fail"
    assert record["diagnosis"]["judgements"][1]["by"] == "Ada"


def test_two_judges_how_far_they_agree_and_what_they_cost(
    module_project: SregymProject, model: Provider
) -> None:
    file = module_project.folder / "two.jsonl"
    file.write_text(rows(labelled=True))
    second = f"{choice(model)},price=2/5"
    words = ("judge", str(file), "--judge", "checklist", "--judge", second)
    told = module_project.run(*words, "--json").assert_success().json()
    tally = told["judges"][second]
    assert (tally["total"], tally["undecided"], tally["false_fails"]) == (3, 1, 1)
    # The second passes all three, and one is right.
    against = tally["agreement_with_labels"]
    assert (against["decided"], against["false_passes"], against["kappa"]) == (3, 2, 0.0)
    assert [case["judges"][second]["outcome"] for case in told["cases"]] == ["pass"] * 3
    spent = told["usage"]
    price = (spent["prompt_tokens"] * 2 + spent["completion_tokens"] * 5) / 1e6
    assert (spent["requests"], round(spent["cost_usd"] - price, 9)) == (3, 0.0)
    shown = module_project.run(*words).assert_success().out
    lines = shown.splitlines()
    assert lines[0].split() == ["ID", "OUTCOME", "JUDGE", "SCORE", "LABEL", "STYLE"]
    assert lines[2].split()[:3] == ["wrong", "fail", "pass"]
    assert f"as {second} judges" in shown
    assert f"all, {second}" in shown
    tokens = f"{spent['prompt_tokens']} tokens in, {spent['completion_tokens']} out"
    assert lines[-1] == f"openai:scripted: 3 requests, {tokens}, for {price:.4f} USD"


def test_two_models_stand_in_columns_of_their_own(
    module_project: SregymProject, model: Provider
) -> None:
    file = module_project.folder / "three.jsonl"
    file.write_text(rows(labelled=False))
    models = [choice(model).replace("scripted", name) for name in ("one", "two")]
    words = ("judge", str(file), "--judge", "checklist", "--judge", models[0], "--judge", models[1])
    shown = module_project.run(*words).assert_success().out
    assert shown.splitlines()[0].split() == [
        "ID", "OUTCOME", "JUDGE", "2", "JUDGE", "3", "SCORE", "LABEL", "STYLE"
    ]  # fmt: skip
    assert [f"openai:{name}: 3 requests" in shown for name in ("one", "two")] == [True, True]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ("judge", "nowhere.jsonl", "--all"),
            "--all is for runs: give --run or --review, or leave it out",
        ),
        (
            ("judge", "nowhere.jsonl", "--by", "Ada"),
            "--by is for runs: give --run or --review, or leave it out",
        ),
        (
            ("judge", "--run", "r", "--judge", "checklist", "--judge", "checklist"),
            "a run is judged by one judge at a time: give --judge once",
        ),
        (
            ("judge", "--run", "r", "--judge", "checklist:model=x"),
            "oracle 'checklist' has no option 'model'; it has none",
        ),
        (
            ("judge", "--run", "r", "--judge", "checklist:model"),
            "oracle 'checklist:model': 'model' is not of the form key=value",
        ),
    ],
)
def test_words_that_do_not_fit(
    module_project: SregymProject, words: tuple[str, ...], error: str
) -> None:
    done = module_project.run(*words).assert_exit(ExitCode.USAGE)
    assert done.err == f"sregym: {error}\n"


def test_a_run_that_goes_on_is_left_alone(module_project: SregymProject, run: Path) -> None:
    head = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**head, "summary": None}))
    done = module_project.run("judge", "--review", str(run)).assert_exit(ExitCode.USAGE)
    assert done.err == (
        f"sregym: the run in '{run}' has not come to its end; go on with it: sregym run --resume {run}\n"
    )
