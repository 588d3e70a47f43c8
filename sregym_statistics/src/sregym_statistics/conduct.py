"""What an agent did in an episode, and in which ways it failed."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from sregym_core.model import Outcome
from sregym_kubernetes.tool_classes import ToolClass, tool_class

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.api import GroundTruth
    from sregym_core.model import EpisodeRecord, ToolCall

# So many equal calls with equal answers are a loop; looking twice is care.
REPEATS = 3
# From this share of refused or failed calls on an agent does not know its tools.
INVALID_SHARE = 0.25
# A changed value that is shorter than this occurs anywhere.
_TELLING = 4
_LOOKING = (
    ToolClass.KUBECTL_READ,
    ToolClass.OBSERVABILITY,
    ToolClass.NETWORK,
    ToolClass.SHELL,
)


class FailureClass(StrEnum):
    """Ways in which an agent fails; an episode can have several of them."""

    PREMATURE = "premature"
    INVALID = "invalid"
    REPEATED = "repeated"
    DISTRACTOR_FOLLOWING = "distractor-following"
    NO_EVIDENCE = "no evidence"
    RIGHT_DIAGNOSIS_WRONG_REPAIR = "right diagnosis, wrong repair"
    NOTHING_SUBMITTED = "nothing submitted"
    OTHER = "other"


@dataclass(frozen=True)
class Conduct:
    """What an agent did.

    Attributes:
        classes: Number of calls by class of tool use.
        calls: Number of calls without submissions.
        first_write: Position of the first call that changes something, from 1; None without one.
        reads_before_write: Calls that look, before it; None without one.
        evidence: Share of root causes that the agent has seen before its diagnosis: it examined the
            component, or an answer showed the changed value. None where the truth is not known.
        invalid: Calls that were refused or failed.
        repeated: Calls that an equal one with an equal answer went before.
        failures: In which ways it failed; empty for an episode that passed or was not graded.
    """

    classes: Mapping[str, int] = field(default_factory=dict)
    calls: int = 0
    first_write: int | None = None
    reads_before_write: int | None = None
    evidence: float | None = None
    invalid: int = 0
    repeated: int = 0
    failures: tuple[FailureClass, ...] = ()


def conduct_of(
    record: EpisodeRecord,
    ground_truths: Sequence[GroundTruth] = (),
    components: Sequence[str] = (),
) -> Conduct:
    """What the agent did in an episode.

    Args:
        record: With its transcript.
        ground_truths: Of the problem; without them nothing is said of evidence and distractors.
        components: Names of the application's components, some of which noise may have disturbed.
    """
    calls = [call for call in record.transcript if call.tool != "submit"]
    classes = [tool_class(call) for call in calls]
    writes = [i for i, kind in enumerate(classes) if kind is ToolClass.KUBECTL_WRITE]
    first = writes[0] if writes else None
    repeats = _repeats(calls)
    evidence = _evidence(record, ground_truths)
    conduct = Conduct(
        classes={str(kind): classes.count(kind) for kind in ToolClass},
        calls=len(calls),
        first_write=None if first is None else first + 1,
        reads_before_write=None
        if first is None
        else sum(kind in _LOOKING for kind in classes[:first]),
        evidence=evidence,
        invalid=sum(not call.ok for call in calls),
        repeated=sum(repeats.values()) - len(repeats),
    )
    if record.outcome is not Outcome.FAIL:
        return conduct
    found = [
        kind
        for kind, holds in (
            (FailureClass.PREMATURE, _premature(record)),
            (FailureClass.INVALID, bool(calls) and conduct.invalid / len(calls) >= INVALID_SHARE),
            (FailureClass.REPEATED, max(repeats.values(), default=0) >= REPEATS),
            (
                FailureClass.DISTRACTOR_FOLLOWING,
                _followed_a_distractor(record, ground_truths, components),
            ),
            (FailureClass.NO_EVIDENCE, evidence == 0.0 and not _is(record, "diagnosis", True)),
            (
                FailureClass.RIGHT_DIAGNOSIS_WRONG_REPAIR,
                _is(record, "diagnosis", True) and _is(record, "mitigation", False),
            ),
            (FailureClass.NOTHING_SUBMITTED, _handed_in(record) is None),
        )
        if holds
    ]
    return Conduct(**{**vars(conduct), "failures": tuple(found) or (FailureClass.OTHER,)})


def _repeats(calls: Sequence[ToolCall]) -> Counter[str]:
    """How often each call was made with the same answer; waiting is no repetition."""
    return Counter(
        json.dumps([call.tool, dict(call.arguments), call.digest], sort_keys=True, default=str)
        for call in calls
        if tool_class(call) is not ToolClass.WAIT
    )


def _handed_in(record: EpisodeRecord) -> float | None:
    """When the first stage was handed in."""
    times = [
        stage.submitted_at_s
        for stage in (record.diagnosis, record.mitigation)
        if stage is not None and stage.submitted_at_s is not None
    ]
    return min(times, default=None)


def _premature(record: EpisodeRecord) -> bool:
    """Whether it changed something or handed in before it had looked at anything."""
    for call in record.transcript:
        kind = tool_class(call)
        if call.tool == "submit" or kind is ToolClass.KUBECTL_WRITE:
            return True
        if kind in _LOOKING and call.ok:
            return False
    return False


def _is(record: EpisodeRecord, stage: str, passed: bool) -> bool:
    judged = getattr(record, stage)
    wanted = Outcome.PASS if passed else Outcome.FAIL
    return judged is not None and judged.verdict.outcome is wanted


def _evidence(record: EpisodeRecord, ground_truths: Sequence[GroundTruth]) -> float | None:
    if not ground_truths:
        return None
    until = record.diagnosis.submitted_at_s if record.diagnosis is not None else None
    looks = [
        call
        for call in record.transcript
        if tool_class(call) in _LOOKING and call.ok and (until is None or call.at_s <= until)
    ]
    asked = "\n".join(json.dumps(dict(call.arguments), default=str) for call in looks)
    answered = "\n".join(call.output for call in looks)
    return sum(_seen(truth, asked, answered) for truth in ground_truths) / len(ground_truths)


def _seen(truth: GroundTruth, asked: str, answered: str) -> bool:
    names = {truth.component, truth.object_name} - {""}
    if any(_names(asked, name) for name in names):
        return True
    after = truth.changed.after
    return len(after) >= _TELLING and _names(answered, after)


def _followed_a_distractor(
    record: EpisodeRecord, ground_truths: Sequence[GroundTruth], components: Sequence[str]
) -> bool:
    """Whether a diagnosis that failed names a component that only noise disturbed."""
    if not ground_truths or record.diagnosis is None or not _is(record, "diagnosis", False):
        return False
    message = "\n".join(
        str(entry.fields.get("what", "")) for entry in record.timeline if entry.event == "NoiseMade"
    )
    guilty = {name for truth in ground_truths for name in (truth.component, truth.object_name)}
    claims = record.diagnosis.claims
    text = f"{record.diagnosis.text} {claims.component if claims is not None else ''}"
    return any(
        _names(message, name) and _names(text, name) for name in components if name not in guilty
    )


def _names(text: str, name: str) -> bool:
    """Whether a text names something as a word of its own, not as part of a longer name."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None
