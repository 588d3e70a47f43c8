"""A tool that agents observe the system with, besides kubectl."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pydantic import Field

from sregym_core.model.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces.cluster import ServiceAnswer
    from sregym_core.interfaces.tools import ToolGroup


class ToolContext(Protocol):
    """What a tool works with: the services of the cluster, and the episode's clock."""

    def now(self) -> float:
        """Seconds since the Unix epoch on the episode's clock."""

    def observe(
        self, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """Ask a service of observability, with the rights of the agent.

        Raises:
            ClusterError: There is no such service, or it cannot be reached.
        """


class ToolError(Exception):
    """A tool cannot answer; the text is for the model."""


class ToolArguments(Value):
    """The arguments of a tool that needs none. Descriptions of fields are read by language models."""


class PagedArguments(ToolArguments):
    """Arguments of a tool whose answers can be long: the session cuts them into pages."""

    page: int = Field(
        default=1,
        ge=1,
        description="Which page of the answer. Repeat a call with the same other arguments and the next page to read on; nothing is run again.",
    )


class SessionTool(ABC):
    """A tool that only observes: it asks services and changes nothing but the time that passes.

    Answers are made for language models: one line an item, common parts said once, times in UTC,
    numbers short. The session validates arguments, counts the call, records it and cuts long
    answers into pages. One object serves all sessions of a process; it holds no state.

    Attributes:
        name: By which it is called, as `query_metrics`.
        group: With which other tools it is served.
        description: What a model is told of it.
        Arguments: What it takes; each field has a description.
    """

    name: ClassVar[str]
    group: ClassVar[ToolGroup]
    description: ClassVar[str]
    Arguments: ClassVar[type[ToolArguments]] = ToolArguments

    @abstractmethod
    def respond(self, context: ToolContext, given: Any) -> str:
        """All that it has to say.

        Args:
            context: What it may ask.
            given: An instance of its `Arguments`.

        Raises:
            ToolError: It cannot answer; the model reads why.
        """


def clock_time(seconds: float) -> str:
    """A moment, in seconds since the Unix epoch, in RFC 3339: in UTC and whole seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
