"""Diagnoses in files, and how well a judge agrees with their labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import DiagnosisOracle
from sregym_core.model import Change, Check, Outcome, Verdict
from sregym_judge.agreement import Agreement, JudgedDiagnosis, Tally
from sregym_judge.labelled import LABELS, read_labelled
from sregym_judge.telling import answers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.model import Claims, Component, GroundTruth

CAUSE: dict[str, Any] = {
    "component": "db",
    "mechanism": "role revoked",
    "detail": {"what": "role of admin", "from": "readWrite", "to": None},
}
CASE: dict[str, Any] = {
    "id": "a",
    "diagnosis": "db lost its role",
    "ground_truth": [CAUSE],
    "components": ["db", "web; cache-web"],
    "reasons": {"any": "other field"},
}


def written(tmp_path: Path, *rows: Any) -> Path:
    file = tmp_path / "cases.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_case_becomes_truths_and_components(tmp_path: Path) -> None:
    (case,) = read_labelled(written(tmp_path, CASE, ""))
    (truth,) = case.ground_truths()
    assert (truth.component, truth.mechanism) == ("db", "role revoked")
    assert truth.changed == Change(what="role of admin", before="readWrite", after="")
    assert [(part.name, part.kind) for part in case.parts()] == [
        ("db", "service"),
        ("web", "service"),
        ("cache-web", "service"),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "file {file!r} has no diagnoses; expected one JSON object a line"),
        (["{"], "file {file!r}, line 1: no JSON; expected one object a line"),
        (["[]"], "file {file!r}, line 1: it must be a mapping, not a list"),
        (
            [CASE, CASE],
            "file {file!r}, line 2: field 'id': 'a' is that of line 1, too; expected one that no other line has",
        ),
        (
            [{**CASE, "diagnosis": 1}],
            "file {file!r}, line 1: field 'diagnosis': must be text, not 1",
        ),
        (
            [{**CASE, "ground_truth": []}],
            "file {file!r}, line 1: field 'ground_truth': must have 1 or more items, not 0",
        ),
        (
            [{**CASE, "ground_truth": [{"component": "db"}]}],
            "file {file!r}, line 1: field 'ground_truth[0].mechanism': missing",
        ),
        (
            [{**CASE, "ground_truth": [{**CAUSE, "colour": "red"}]}],
            "file {file!r}, line 1: field 'ground_truth[0].colour': unknown; there are: affected, "
            "component, contributing, detail, impact, kind, mechanism, namespace",
        ),
        (
            [{**CASE, "passed": True, "labels": {"D1Q1": True}}],
            "file {file!r}, line 1: field 'labels': D1Q2, D1Q3, D2Q1, D2Q2, D2Q3, D3Q1, D3Q2, D3Q3 missing or "
            "unknown; give true or false for each of D1Q1, D1Q2, D1Q3, D2Q1, D2Q2, D2Q3, D3Q1, D3Q2, D3Q3",
        ),
        (
            [{**CASE, "passed": True}],
            "file {file!r}, line 1: field 'labels': missing beside 'passed'; give both or none",
        ),
        (
            [{**CASE, "labels": {"D1Q1": "yes"}}],
            "file {file!r}, line 1: field 'labels.D1Q1': must be true or false, not 'yes'",
        ),
    ],
)
def test_bad_input_names_file_line_field_and_what_is_expected(
    rows: list[Any], message: str, tmp_path: Path
) -> None:
    file = written(tmp_path, *rows)
    with pytest.raises(UsageError) as caught:
        read_labelled(file)
    assert str(caught.value) == message.format(file=str(file))


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    for file, why in (
        (tmp_path / "none.jsonl", "No such file or directory"),
        (tmp_path / "latin.jsonl", "it is not UTF-8"),
    ):
        if "latin" in file.name:
            file.write_bytes(b"\xff")
        with pytest.raises(UsageError) as caught:
            read_labelled(file)
        assert str(caught.value) == f"file {str(file)!r} cannot be read: {why}"


def test_kappa_with_its_interval_leaves_the_undecided_out() -> None:
    tally = Tally(right_passes=20, right_fails=15, false_passes=10, false_fails=5, undecided=7)
    kappa = tally.kappa()
    assert kappa is not None
    assert [round(value, 3) for value in kappa] == [0.4, 0.146, 0.654]
    assert (tally.decided, tally.total) == (50, 57)
    assert Tally(undecided=3).kappa() is None
    assert Tally(right_passes=3).kappa() is None


def test_agreement_counts_by_style_and_application() -> None:
    agreement = Agreement.of(
        [
            JudgedDiagnosis("terse", "shop", True, True),
            JudgedDiagnosis("terse", "shop", True, False),
            JudgedDiagnosis("hedged", "shop", None, True),
            JudgedDiagnosis("hedged", "other", False, True),
        ]
    )
    told = agreement.as_json()
    assert (told["total"], told["undecided"]) == (4, 1)
    assert (told["false_passes"], told["false_fails"]) == (1, 1)
    assert told["styles"]["hedged"]["false_fails"] == 1
    assert told["applications"]["shop"]["false_passes"] == 1
    assert [name for name, _ in agreement.rows()] == [
        "style hedged",
        "style terse",
        "application other",
        "application shop",
    ]


class Three(DiagnosisOracle):
    name = "three"
    questions = (("place", "origin"), ("kind",))

    def judge_diagnosis(
        self,
        text: str,
        claims: Claims | None,
        ground_truths: Sequence[GroundTruth],
        components: Sequence[Component],
    ) -> Verdict:
        raise NotImplementedError


def test_answers_of_several_root_causes_are_joined() -> None:
    got = {"place[a]": "yes", "place[b]": "no", "origin[a]": "yes", "origin[b]": "unknown"}
    checks = [Check(name=name, outcome=Outcome.PASS, got=said) for name, said in got.items()]
    assert answers(Three(), Verdict.of(checks)) == {"D1Q1": False, "D1Q2": None, "D2Q1": None}


def test_nine_questions_have_labels() -> None:
    assert (len(LABELS), LABELS[0], LABELS[-1]) == (9, "D1Q1", "D3Q3")


def test_an_undecided_check_leaves_a_verdict_undecided_unless_one_fails() -> None:
    checks = {o: Check(name=o, outcome=o) for o in Outcome}
    undecided = checks[Outcome.UNDECIDED]
    assert Verdict.of([checks[Outcome.PASS], undecided]).outcome is Outcome.UNDECIDED
    assert Verdict.of([undecided, checks[Outcome.FAIL]]).outcome is Outcome.FAIL
    assert Verdict.of([undecided, checks[Outcome.ERROR]]).outcome is Outcome.ERROR
