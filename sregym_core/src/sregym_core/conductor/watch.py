"""Reports of an agent while it watches: an incident, a false alarm, or that all is well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_core.events import WatchReported
from sregym_core.interfaces import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.model import Claims

# "no incident" is what an agent is asked to say; the others are what people say as well.
_ALL_WELL = re.compile(
    r"""\s*(i\s+(see|saw|found|find|notice[d]?)\s+)?
    ( no\s+(\w+\s+)?(incident|fault|problem|issue|anomal(y|ies)|defect|trouble|error)s?\b
    | nothing\s+(is\s+|was\s+|seems\s+|looks\s+)?(wrong|unusual|abnormal|suspicious|broken)\b
    | (all|everything)\s+(is|was|looks|seems)\s+(well|fine|good|healthy|normal|ok(ay)?|in\s+order)\b
    | the\s+(system|application|cluster)\s+(is|was|looks|seems)\s+(well|fine|healthy|normal)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
ALL_WELL_NOTED = "noted: no incident; go on watching"
FALSE_ALARM = (
    "looked into: the system was healthy at this moment, so this was a false alarm; go on watching"
)


def is_no_incident(text: str, claims: Claims | None) -> bool:
    """Whether a submission says that there is no incident.

    A component in the claims is an accusation whatever the text says.
    """
    if claims is not None and claims.component:
        return False
    return not text.strip() or _ALL_WELL.match(text) is not None


class Watch:
    """Takes what a watching agent hands in, until it reports an incident that is one.

    Args:
        timeline: Where reports are recorded.
        broken: Whether a fault is active by now.

    Attributes:
        false_alarms: How many incidents were reported before there was one.
    """

    def __init__(self, timeline: Timeline, broken: Callable[[], bool]) -> None:
        self.false_alarms = 0
        self._timeline = timeline
        self._broken = broken

    def fork(self, timeline: Timeline, broken: Callable[[], bool]) -> Watch:
        """An equal one that goes on by itself."""
        twin = Watch(timeline, broken)
        twin.false_alarms = self.false_alarms
        return twin

    def hear(self, stage: Stage, text: str, claims: Claims | None) -> str:
        """What to answer a submission that is no diagnosis; empty for one that is."""
        if stage is not Stage.DIAGNOSIS:
            return ""
        incident = not is_no_incident(text, claims)
        if incident and self._broken():
            return ""
        self._timeline.record(WatchReported(false_alarm=incident))
        if not incident:
            return ALL_WELL_NOTED
        self.false_alarms += 1
        return FALSE_ALARM
