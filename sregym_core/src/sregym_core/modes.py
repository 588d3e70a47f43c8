"""Modes: how an episode is put to an agent.

A mode says what the agent is told, when it starts, which submissions are expected and what is
judged. The conductor asks the mode and knows none by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError
from sregym_core.interfaces.agent import Stage, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Application
    from sregym_core.model import GroundTruth

_FRAME = """\
You are the engineer on call for {title}.

{opening}

Namespace: {namespaces}

{work}
"""

_TOLD = """\
You have kubectl with the rights of an engineer on call: everything in these namespaces, and a look
at the rest of the cluster. Each submission counts once and cannot be taken back.\
"""

_WHAT_A_DIAGNOSIS_SAYS = """\
which component is responsible, what exactly is
   wrong with it and what it should be, which other components are involved or suffer, and what
   users see. Name the cause, not its symptoms. These points are what is judged; you may give them
   in fields (claims) beside the text.\
"""

_REPAIR = """\
Repair the cause so that the system serves its users again and keeps doing so, then submit a
   short note that you are done. Keep all workloads, their data, their probes and the load
   running; deleting or disabling things is not a repair.\
"""

_BOTH = f"""\
Work in two steps, without asking back.
1. Find the root cause and submit a diagnosis: {_WHAT_A_DIAGNOSIS_SAYS}
2. {_REPAIR}

{_TOLD}"""

_OFFICE = f"""\
Documents can be read (read_document: a handbook for those on call, a runbook of each component; not
all of them are up to date), and updates can be posted to the channel of the incident (post_update:
say what is so). Neither is required.

{_BOTH}"""

_WATCH = f"""\
Watch the system, without asking back, and act as soon as something is wrong.
1. Let time pass and look at metrics, logs, traces and the cluster. As soon as you are sure of an
   incident, submit a diagnosis: {_WHAT_A_DIAGNOSIS_SAYS}
   What you report while the system is healthy counts as a false alarm. If you think that all is
   well, do not submit a diagnosis; to say so, submit the words "no incident".
2. {_REPAIR}

{_TOLD}"""

_DIAGNOSE = f"""\
Work without asking back.
1. Find the root cause and submit a diagnosis: {_WHAT_A_DIAGNOSIS_SAYS}
The repair is not yours: with the diagnosis your work is done.

{_TOLD}"""

_MITIGATE = f"""\
Work without asking back.
1. {_REPAIR}

{_TOLD}"""

_AT_ONCE = f"""\
Work without asking back, and submit once, when the system is repaired.
1. Find the root cause and repair it so that the system serves its users again and keeps doing so.
   Keep all workloads, their data, their probes and the load running; deleting or disabling things
   is not a repair.
2. Submit a diagnosis: {_WHAT_A_DIAGNOSIS_SAYS}
   At that moment the system is judged as it stands.

{_TOLD}"""


@dataclass(frozen=True)
class BriefingContext:
    """What there is to tell of an episode.

    Attributes:
        application: What runs.
        ground_truths: What is wrong.
        alerts: Those that fired, in the form of Alertmanager's webhook; None for none.
        seed: Of the episode.
    """

    application: Application
    ground_truths: Sequence[GroundTruth] = ()
    alerts: Mapping[str, Any] | None = None
    seed: int = 0


@dataclass(frozen=True)
class Mode:
    """One way to put an episode to an agent.

    Attributes:
        name: The word behind `--mode`.
        summary: One line for people.
        opening: What the agent is told of the situation.
        work: What it is asked to do.
        task: The same for programs.
        reveals_cause: Whether the agent is told what is wrong.
        alerted: Whether the agent starts once an alert fired, and is told of those that fired.
        documented: Whether there are documents to read and a channel to post updates to.
    """

    name: str
    summary: str
    opening: Callable[[BriefingContext], str]
    work: str
    submissions: tuple[Stage, ...]
    judged: tuple[Stage, ...]
    reveals_cause: bool = False
    alerted: bool = False
    watching: bool = False
    documented: bool = False

    @property
    def task(self) -> Task:
        """What the mode asks for, as agents get it."""
        return Task(self.name, self.submissions, self.judged, self.watching)

    def instruction(self, briefing: BriefingContext) -> str:
        """The text for the agent; but for alerts and a told cause, the same for every problem."""
        return _FRAME.format(
            title=briefing.application.title,
            opening=self.opening(briefing).strip(),
            namespaces=", ".join(briefing.application.namespaces),
            work=self.work,
        )


def _reported(briefing: BriefingContext) -> str:
    return f"Users report that it does not work as it should. {briefing.application.description.strip()}"


def _alerted(briefing: BriefingContext) -> str:
    about = briefing.application.description.strip()
    if briefing.alerts is None:
        return f"No alert is firing, but somebody asked you to look at it. {about}"
    import json

    payload = json.dumps(briefing.alerts, indent=1)
    return f"Alertmanager sent you the notification below. {about}\n\n{payload}"


def severity(briefing: BriefingContext) -> str:
    """How bad it is for users, by the share of operations that the ground truth says they miss."""
    parts = {part.name: part for part in briefing.application.components()}
    every = {name for part in parts.values() for name in part.operations}
    hurt = {
        name
        for truth in briefing.ground_truths
        if truth.component in parts and not truth.impact.startswith("Users notice nothing")
        for name in parts[truth.component].operations
    }
    if not hurt:
        return (
            "SEV4" if all(truth.component in parts for truth in briefing.ground_truths) else "SEV3"
        )
    return "SEV1" if hurt == every else "SEV2" if 2 * len(hurt) > len(every) else "SEV3"


def _on_call(briefing: BriefingContext) -> str:
    """A page, the ticket of a user, or a vague complaint, as the seed says."""
    from random import Random

    chance = Random(f"how an incident is reported, seed {briefing.seed}")  # noqa: S311 - a game
    about = briefing.application.description.strip()
    how = chance.choice(("page", "ticket", "complaint"))
    if how == "page" and briefing.alerts is not None:
        import json

        said = f"You are paged. Alertmanager says:\n\n{json.dumps(briefing.alerts, indent=1)}"
    elif how == "ticket":
        number = chance.randint(10_000, 99_999)
        saw = " ".join(
            dict.fromkeys(truth.impact for truth in briefing.ground_truths if truth.impact)
        )
        words = saw if saw and not saw.startswith("Users notice") else "Something is not right."
        said = (
            f'Ticket #{number}, opened by a customer and passed on to you: "{words} Please help."'
        )
    else:
        said = chance.choice(_COMPLAINTS)
    return f"{said}\n\nSeverity as it was filed: {severity(briefing)}. {about}"


_COMPLAINTS = (
    'Somebody wrote in the support channel: "is it just me, or is it acting up again?"',
    'A colleague of sales says: "the demo did not look good just now, can you check?"',
    'Somebody wrote in the support channel: "a customer says it was better yesterday"',
    'The office of the CTO asks: "are we having an incident?"',
)


def _nothing_said(briefing: BriefingContext) -> str:
    return f"Nobody reported anything. {briefing.application.description.strip()}"


def _cause_told(briefing: BriefingContext) -> str:
    causes = " ".join(describe_cause(truth) for truth in briefing.ground_truths)
    return (
        f"Users report that it does not work as it should. {briefing.application.description.strip()}"
        f"\n\nA colleague looked into it and found the cause. {causes}"
    )


def describe_cause(truth: GroundTruth) -> str:
    """A cause as one engineer tells it to another."""
    part = "" if truth.component == truth.object_name else f", part of {truth.component},"
    change = truth.changed
    if not change.after:
        detail = f"{_upper(change.what)} is gone; it was: {change.before}."
    elif not change.before:
        detail = f"{_upper(change.what)} is {change.after}, and should not be there."
    else:
        detail = f"{_upper(change.what)} is {change.after}; it should be {change.before}."
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

STANDARD = Mode(
    "standard",
    "users report trouble: diagnose, then repair",
    _reported,
    _BOTH,
    submissions=_STAGES,
    judged=_STAGES,
)

MODES = (
    STANDARD,
    Mode(
        "reactive",
        "starts with the alerts that fired: diagnose, then repair",
        _alerted,
        _BOTH,
        submissions=_STAGES,
        judged=_STAGES,
        alerted=True,
    ),
    Mode(
        "proactive",
        "nothing is reported: notice, diagnose, then repair",
        _nothing_said,
        _WATCH,
        submissions=_STAGES,
        judged=_STAGES,
        watching=True,
    ),
    Mode(
        "on-call",
        "a page, a ticket or a complaint, with a handbook, runbooks and a channel for updates",
        _on_call,
        _OFFICE,
        submissions=_STAGES,
        judged=_STAGES,
        alerted=True,
        documented=True,
    ),
    Mode(
        "diagnosis-only",
        "users report trouble: diagnose; nothing else is judged",
        _reported,
        _DIAGNOSE,
        submissions=(Stage.DIAGNOSIS,),
        judged=(Stage.DIAGNOSIS,),
    ),
    Mode(
        "mitigation-only",
        "the cause is told: repair; nothing else is judged",
        _cause_told,
        _MITIGATE,
        submissions=(Stage.MITIGATION,),
        judged=(Stage.MITIGATION,),
        reveals_cause=True,
    ),
    Mode(
        "one-shot",
        "users report trouble: repair, then hand in the diagnosis; both are judged then",
        _reported,
        _AT_ONCE,
        submissions=(Stage.DIAGNOSIS,),
        judged=_STAGES,
    ),
)


def mode_named(name: str) -> Mode:
    """The mode of that name.

    Raises:
        UsageError: There is none.
    """
    for mode in MODES:
        if mode.name == name:
            return mode
    names = [mode.name for mode in MODES]
    near = get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
    msg = f"there is no mode {name!r}; {hint}"
    raise UsageError(msg)


def check_start(mode: Mode, start_before_s: float | None) -> None:
    """Refuse an agent that starts before the system breaks in a mode that tells of trouble.

    Raises:
        UsageError: It does.
    """
    if start_before_s is not None and not mode.watching:
        msg = f"--start-before goes with --mode proactive; in mode {mode.name!r} an agent is told of trouble when it starts"
        raise UsageError(msg)
