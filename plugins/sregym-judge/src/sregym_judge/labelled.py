"""Diagnoses in a file: one JSON object a line, with the truth they are held against, maybe with labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import Change, Component, GroundTruth, ObjectRef
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# The nine questions of a label: three dimensions with three questions each.
LABELS = tuple(f"D{dimension}Q{question}" for dimension in (1, 2, 3) for question in (1, 2, 3))


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Detail(_Row):
    """What was changed, from what, to what; null where there was or is nothing."""

    what: str | None = None
    before: str | None = Field(default=None, alias="from")
    after: str | None = Field(default=None, alias="to")


class Cause(_Row):
    """One true root cause."""

    component: str
    kind: str = ""
    namespace: str = ""
    mechanism: str
    detail: Detail = Detail()
    contributing: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    impact: str = ""

    def truth(self) -> GroundTruth:
        """As oracles know it; the phrase for the mechanism is its only one."""
        change = self.detail
        return GroundTruth(
            component=self.component,
            kind=self.kind,
            object_name=self.component,
            namespace=self.namespace,
            mechanism=self.mechanism,
            changed=Change(
                what=change.what or "", before=change.before or "", after=change.after or ""
            ),
            contributing=self.contributing,
            affected=self.affected,
            impact=self.impact,
        )


class LabelledDiagnosis(BaseModel):
    """One line of such a file; fields that are not named here are left alone.

    Attributes:
        id: Of the text.
        diagnosis: The text, as an agent would submit it.
        ground_truth: True root causes.
        components: Names of the application's components; several may stand in one name, with `;`.
        problem: Of the incident.
        application: Where it happened.
        style: How the text was written.
        labels: Answers by question, true is good; all nine or none.
        passed: Whether it passes; None without labels.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1)
    diagnosis: str
    ground_truth: tuple[Cause, ...] = Field(min_length=1)
    components: tuple[str, ...] = ()
    problem: str = ""
    application: str = ""
    style: str = ""
    labels: dict[str, StrictBool] | None = None
    passed: StrictBool | None = None

    def ground_truths(self) -> tuple[GroundTruth, ...]:
        """The root causes as oracles know them."""
        return tuple(cause.truth() for cause in self.ground_truth)

    def parts(self) -> tuple[Component, ...]:
        """The components, of which only the name is known."""
        names = (name.strip() for listed in self.components for name in listed.split(";"))
        return tuple(_component(name) for name in dict.fromkeys(filter(None, names)))


def _component(name: str) -> Component:
    workload = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="", name=name)
    return Component(
        name=name, kind="service", namespace="", workload=workload, container=name, image=""
    )


def read_labelled(path: Path) -> Sequence[LabelledDiagnosis]:
    """All diagnoses of a file, in order.

    Raises:
        UsageError: The file cannot be read, is empty, or a line is not as expected.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"file {str(path)!r} cannot be read: {why}") from error
    cases: list[LabelledDiagnosis] = []
    first: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        case = _case(line, f"file {str(path)!r}, line {number}")
        if case.id in first:
            msg = (
                f"file {str(path)!r}, line {number}: field 'id': {case.id!r} is that of line "
                f"{first[case.id]}, too; expected one that no other line has"
            )
            raise UsageError(msg)
        first[case.id] = number
        cases.append(case)
    if not cases:
        msg = f"file {str(path)!r} has no diagnoses; expected one JSON object a line"
        raise UsageError(msg)
    return cases


def _case(line: str, where: str) -> LabelledDiagnosis:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: no JSON; expected one object a line") from error
    try:
        case = LabelledDiagnosis.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{where}: {explain(error, LabelledDiagnosis, data)}") from error
    if case.labels is not None and set(case.labels) != set(LABELS):
        wrong = sorted(set(case.labels) ^ set(LABELS))
        msg = (
            f"{where}: field 'labels': {', '.join(wrong)} missing or unknown; give true or "
            f"false for each of {', '.join(LABELS)}"
        )
        raise UsageError(msg)
    if (case.labels is None) != (case.passed is None):
        has, lacks = ("passed", "labels") if case.labels is None else ("labels", "passed")
        raise UsageError(f"{where}: field {lacks!r}: missing beside {has!r}; give both or none")
    return case
