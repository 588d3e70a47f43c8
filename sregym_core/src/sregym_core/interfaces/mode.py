"""Interface of modes: how an episode is put to an agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces.agent import Stage, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.session_tool import SessionTool
    from sregym_core.model import GroundTruth

_FRAME = """\
You are the engineer on call for {title}.

{opening}

Namespace: {namespaces}

{work}
"""

# Parts of what agents are told, for modes to put together.
RIGHTS = """\
You have kubectl with the rights of an engineer on call: everything in these namespaces, and a look
at the rest of the cluster. Each submission counts once and cannot be taken back.\
"""

WHAT_A_DIAGNOSIS_SAYS = """\
which component is responsible, what exactly is
   wrong with it and what it should be, which other components are involved or suffer, and what
   users see. Name the cause, not its symptoms. These points are what is judged; you may give them
   in fields (claims) beside the text.\
"""

REPAIR = """\
Repair the cause so that the system serves its users again and keeps doing so, then submit a
   short note that you are done. Keep all workloads, their data, their probes and the load
   running; deleting or disabling things is not a repair.\
"""

BOTH_STEPS = f"""\
Work in two steps, without asking back.
1. Find the root cause and submit a diagnosis: {WHAT_A_DIAGNOSIS_SAYS}
2. {REPAIR}

{RIGHTS}"""


@dataclass(frozen=True)
class BriefingContext:
    """What an instruction can be made of.

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


class EpisodeResources(ABC):
    """What a mode gives an agent besides the system, in one episode: tools that keep state."""

    @property
    @abstractmethod
    def tools(self) -> Sequence[SessionTool]:
        """Further tools of the session, which may keep their arguments here."""

    @abstractmethod
    def fork(self, served: Callable[[], float | None]) -> EpisodeResources:
        """Equal ones that go on by themselves; `served` as in `ResourcesContext`."""

    @abstractmethod
    def account(self, at_s: Callable[[float], float], usual: float) -> Mapping[str, Any]:
        """Their part of the record, by fields of `EpisodeRecord`.

        Args:
            at_s: Gives the episode's second of a moment on the cluster's clock.
            usual: Share of the users' requests that succeeds in the healthy system.
        """


@dataclass(frozen=True)
class ResourcesContext:
    """What resources are made of.

    Attributes:
        application: What runs.
        seed: Of the episode.
        served: Share of the users' requests that succeeds now; None where it is not known.
    """

    application: Application
    seed: int
    served: Callable[[], float | None]


class Mode(ABC):
    """One way to put an episode to an agent; holds no state.

    Attributes:
        name: The word behind `--mode`.
        summary: One line for people.
        work: What the agent is to do.
        submissions: What it hands in, in order.
        judged: Which stages are judged.
        reveals_cause: Whether the agent learns what is wrong.
        alerted: Whether the agent starts once an alert fired, and receives those that fired.
        watching: Whether nothing is reported, and the agent may start in a healthy system.
    """

    name: str
    summary: str
    work: str
    submissions: tuple[Stage, ...]
    judged: tuple[Stage, ...]
    reveals_cause: bool = False
    alerted: bool = False
    watching: bool = False

    @abstractmethod
    def opening(self, briefing: BriefingContext) -> str:
        """The text of the situation for the agent; the same for the same briefing."""

    def resources(self, context: ResourcesContext) -> EpisodeResources | None:
        """What the agent has besides the system; None by default."""
        return None

    @property
    def task(self) -> Task:
        """The submissions of the mode, as agents get them."""
        return Task(self.name, self.submissions, self.judged, self.watching)

    def instruction(self, briefing: BriefingContext) -> str:
        """The text for the agent; but for alerts and a revealed cause, the same for every problem."""
        return _FRAME.format(
            title=briefing.application.title,
            opening=self.opening(briefing).strip(),
            namespaces=", ".join(briefing.application.namespaces),
            work=self.work,
        )


class Standard(Mode):
    """Users report trouble: an agent diagnoses, then repairs."""

    name = "standard"
    summary = "users report trouble: diagnose, then repair"
    work = BOTH_STEPS
    submissions: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)
    judged: tuple[Stage, ...] = (Stage.DIAGNOSIS, Stage.MITIGATION)

    def opening(self, briefing: BriefingContext) -> str:
        """What users say, and what the application is."""
        about = briefing.application.description.strip()
        return f"Something in it does not work as it should. {about}"
