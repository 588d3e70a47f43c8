"""The mode `on-call`: a page, a ticket or a complaint, with documents and a channel for updates."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from sregym_core.interfaces import Mode, Stage
from sregym_core.interfaces.mode import BOTH_STEPS

from sregym_mode_on_call.handbook import documents_of
from sregym_mode_on_call.resources import OnCallResources

if TYPE_CHECKING:
    from sregym_core.interfaces import BriefingContext, ResourcesContext

_WORK = f"""\
Documents can be read (read_document: a handbook for those on call, a runbook of each component; not
all of them are up to date), and updates can be posted to the channel of the incident (post_update:
say what is so). Neither is required.

{BOTH_STEPS}"""


class OnCall(Mode):
    """An engineer is called, with what is written of the system and a channel of the incident."""

    name = "on-call"
    summary = "a page, a ticket or a complaint, with a handbook, runbooks and a channel for updates"
    work = _WORK
    submissions = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged = (Stage.DIAGNOSIS, Stage.MITIGATION)
    alerted = True

    def opening(self, briefing: BriefingContext) -> str:
        """A page, the ticket of a user, or a vague complaint, as the seed says."""
        return _on_call(briefing)

    def resources(self, context: ResourcesContext) -> OnCallResources:
        """Documents of the application, and an empty channel."""
        return OnCallResources(documents_of(context.application, context.seed), context.served)


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
    chance = Random(f"how an incident is reported, seed {briefing.seed}")  # noqa: S311 - a game
    about = briefing.application.description.strip()
    how = chance.choice(("page", "ticket", "complaint"))
    if how == "page" and briefing.alerts is not None:
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
