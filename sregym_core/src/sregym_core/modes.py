"""Modes of the core: how an episode is put to an agent.

A mode defines the agent's instruction, when it starts, which submissions are expected and what is
judged. The conductor calls the mode and knows none by name; plugins bring more
(`sregym_register_modes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.interfaces.agent import Stage
from sregym_core.interfaces.mode import (
    BOTH_STEPS,
    REPAIR,
    RIGHTS,
    WHAT_A_DIAGNOSIS_SAYS,
    BriefingContext,
    Mode,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.model import GroundTruth

_WATCH = f"""\
Watch the system, without asking back, and act as soon as something is wrong.
1. Let time pass and look at metrics, logs, traces and the cluster. As soon as you are sure of an
   incident, submit a diagnosis: {WHAT_A_DIAGNOSIS_SAYS}
   What you report while the system is healthy counts as a false alarm. If you think that all is
   well, do not submit a diagnosis; to say so, submit the words "no incident".
2. {REPAIR}

{RIGHTS}"""

_DIAGNOSE = f"""\
Work without asking back.
1. Find the root cause and submit a diagnosis: {WHAT_A_DIAGNOSIS_SAYS}
The repair is not yours: with the diagnosis your work is done.

{RIGHTS}"""

_MITIGATE = f"""\
Work without asking back.
1. {REPAIR}

{RIGHTS}"""

_AT_ONCE = f"""\
Work without asking back, and submit once, when the system is repaired.
1. Find the root cause and repair it so that the system serves its users again and keeps doing so.
   Keep all workloads, their data, their probes and the load running; deleting or disabling things
   is not a repair.
2. Submit a diagnosis: {WHAT_A_DIAGNOSIS_SAYS}
   At that moment the system is judged as it stands.

{RIGHTS}"""


@dataclass(frozen=True)
class TextMode(Mode):
    """A mode that differs from others by its texts and by what is judged.

    Attributes:
        told: Gives the text of the situation.
    """

    name: str
    summary: str
    told: Callable[[BriefingContext], str]
    work: str
    submissions: tuple[Stage, ...]
    judged: tuple[Stage, ...]
    reveals_cause: bool = False
    alerted: bool = False
    watching: bool = False

    def opening(self, briefing: BriefingContext) -> str:
        """As `told` says."""
        return self.told(briefing)


def _reported(briefing: BriefingContext) -> str:
    return f"Something in it does not work as it should. {briefing.application.description.strip()}"


def _alerted(briefing: BriefingContext) -> str:
    about = briefing.application.description.strip()
    if briefing.alerts is None:
        return f"No alert is firing, but somebody asked you to look at it. {about}"
    import json

    payload = json.dumps(briefing.alerts, indent=1)
    return f"Alertmanager sent you the notification below. {about}\n\n{payload}"


def _nothing_said(briefing: BriefingContext) -> str:
    return f"Nobody reported anything. {briefing.application.description.strip()}"


def _cause_told(briefing: BriefingContext) -> str:
    causes = " ".join(describe_cause(truth) for truth in briefing.ground_truths)
    return (
        f"Something in it does not work as it should. {briefing.application.description.strip()}"
        f"\n\nA colleague looked into it and found the cause. {causes}"
    )


def describe_cause(truth: GroundTruth) -> str:
    """A cause in the words of an engineer."""
    part = "" if truth.component == truth.object_name else f", part of {truth.component},"
    change = truth.changed
    # Settings, files and sentences stand there: apart from each other, not as parts of one sentence.
    detail = f"{_upper(change.what)}. Expected: {change.before or 'none'}. Found: {change.after or 'none'}."
    others = ""
    if truth.contributing:
        others = f" It takes {_listed(truth.contributing)} as well to bring it about."
    victims = f" It also hurts {_listed(truth.affected)}." if truth.affected else ""
    return (
        f"It is {truth.kind} {truth.object_name} in namespace {truth.namespace}{part} with this "
        f"defect: {truth.mechanism.replace('-', ' ')}. {detail}{others}{victims} {truth.impact}"
    ).strip()


def _upper(text: str) -> str:
    """A field's path begins a sentence as it is written; words begin it in upper case."""
    path = any(mark in text.split(" ")[0] for mark in ".[")
    return text if path else text[:1].upper() + text[1:]


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


_STAGES = (Stage.DIAGNOSIS, Stage.MITIGATION)

STANDARD = TextMode(
    "standard",
    "users report trouble: diagnose, then repair",
    _reported,
    BOTH_STEPS,
    submissions=_STAGES,
    judged=_STAGES,
)

MODES = (
    STANDARD,
    TextMode(
        "reactive",
        "starts with the alerts that fired: diagnose, then repair",
        _alerted,
        BOTH_STEPS,
        submissions=_STAGES,
        judged=_STAGES,
        alerted=True,
    ),
    TextMode(
        "proactive",
        "nothing is reported: notice, diagnose, then repair",
        _nothing_said,
        _WATCH,
        submissions=_STAGES,
        judged=_STAGES,
        watching=True,
    ),
    TextMode(
        "diagnosis-only",
        "users report trouble: diagnose; nothing else is judged",
        _reported,
        _DIAGNOSE,
        submissions=(Stage.DIAGNOSIS,),
        judged=(Stage.DIAGNOSIS,),
    ),
    TextMode(
        "mitigation-only",
        "the cause is told: repair; nothing else is judged",
        _cause_told,
        _MITIGATE,
        submissions=(Stage.MITIGATION,),
        judged=(Stage.MITIGATION,),
        reveals_cause=True,
    ),
    TextMode(
        "one-shot",
        "users report trouble: repair, then hand in the diagnosis; both are judged then",
        _reported,
        _AT_ONCE,
        submissions=(Stage.DIAGNOSIS,),
        judged=_STAGES,
    ),
)


def mode_named(name: str) -> Mode:
    """The core's mode of that name, as behind `--mode`.

    Raises:
        KeyError: The core has none.
    """
    return {mode.name: mode for mode in MODES}[name]


def check_start(mode: Mode, start_before_s: float | None) -> None:
    """Refuse an agent that starts before the system breaks in a mode that reports trouble.

    Raises:
        UsageError: It does, or the system would break within no time.
    """
    if start_before_s is not None and not mode.watching:
        msg = f"--start-before goes with --mode proactive; in mode {mode.name!r} an agent is told of trouble when it starts"
        raise UsageError(msg)
    if start_before_s is not None and not start_before_s > 0:
        msg = f"start_before_s must be a number of seconds greater than 0, not {start_before_s!r}"
        raise UsageError(msg)
