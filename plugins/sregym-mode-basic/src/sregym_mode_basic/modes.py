"""The modes `reactive`, `proactive`, `diagnosis-only`, `mitigation-only` and `one-shot`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sregym_core.interfaces import Mode, Stage
from sregym_core.interfaces.mode import (
    BOTH_STEPS,
    REPAIR,
    RIGHTS,
    WHAT_A_DIAGNOSIS_SAYS,
    Standard,
)

from sregym_mode_basic.cause import describe_cause

if TYPE_CHECKING:
    from sregym_core.interfaces import BriefingContext

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


class Reactive(Mode):
    """An agent starts with the alerts that fired."""

    name = "reactive"
    summary = "starts with the alerts that fired: diagnose, then repair"
    work = BOTH_STEPS
    submissions = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged = (Stage.DIAGNOSIS, Stage.MITIGATION)
    alerted = True

    def opening(self, briefing: BriefingContext) -> str:
        """Alertmanager's notification, or that no alert fires."""
        about = briefing.application.description.strip()
        if briefing.alerts is None:
            return f"No alert is firing, but somebody asked you to look at it. {about}"
        payload = json.dumps(briefing.alerts, indent=1)
        return f"Alertmanager sent you the notification below. {about}\n\n{payload}"


class Proactive(Mode):
    """An agent watches a system of which nothing is reported."""

    name = "proactive"
    summary = "nothing is reported: notice, diagnose, then repair"
    work = _WATCH
    submissions = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged = (Stage.DIAGNOSIS, Stage.MITIGATION)
    watching = True

    def opening(self, briefing: BriefingContext) -> str:
        """What the application is."""
        return f"Nobody reported anything. {briefing.application.description.strip()}"


class DiagnosisOnly(Standard):
    """An agent finds the cause and leaves the repair to others."""

    name = "diagnosis-only"
    summary = "users report trouble: diagnose; nothing else is judged"
    work = _DIAGNOSE
    submissions = (Stage.DIAGNOSIS,)
    judged = (Stage.DIAGNOSIS,)


class MitigationOnly(Standard):
    """An agent is told the cause and repairs it."""

    name = "mitigation-only"
    summary = "the cause is told: repair; nothing else is judged"
    work = _MITIGATE
    submissions = (Stage.MITIGATION,)
    judged = (Stage.MITIGATION,)
    reveals_cause = True

    def opening(self, briefing: BriefingContext) -> str:
        """What users say, and each cause."""
        causes = " ".join(describe_cause(truth) for truth in briefing.ground_truths)
        return (
            f"{super().opening(briefing)}\n\n"
            f"A colleague looked into it and found the cause. {causes}"
        )


class OneShot(Standard):
    """An agent repairs the system, then hands in the diagnosis; both are judged at that moment."""

    name = "one-shot"
    summary = "users report trouble: repair, then hand in the diagnosis; both are judged then"
    work = _AT_ONCE
    submissions = (Stage.DIAGNOSIS,)


MODES: tuple[Mode, ...] = (Reactive(), Proactive(), DiagnosisOnly(), MitigationOnly(), OneShot())


def mode_named(name: str) -> Mode:
    """The mode of that name, `standard` or one of `MODES`: for tests, which have no plugins.

    Raises:
        KeyError: There is none.
    """
    return {mode.name: mode for mode in (Standard(), *MODES)}[name]
