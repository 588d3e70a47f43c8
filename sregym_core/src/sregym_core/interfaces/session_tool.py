"""Interface of tools with which agents observe a system, besides kubectl."""

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
    """Access of a tool to the cluster's observability services and to the episode's clock."""

    def now(self) -> float:
        """Seconds since the Unix epoch on the episode's clock."""

    def observe(
        self, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """Send a GET request to an observability service, with the rights of the agent.

        Raises:
            ClusterError: There is no such service, or it cannot be reached.
        """


class ToolError(Exception):
    """A tool cannot respond; the message is shown to the language model."""


class ToolArguments(Value):
    """Base of the arguments of tools; by itself, no arguments. Language models read the descriptions."""


class PagedArguments(ToolArguments):
    """Arguments of a tool with long responses, which the session splits into pages."""

    page: int = Field(
        default=1,
        ge=1,
        description="Which page of the answer. Repeat a call with the same other arguments and the next page to read on; nothing is run again.",
    )


class SessionTool(ABC):
    """A read-only tool: it queries services and changes nothing; only time passes.

    Responses are text for language models: one line for each item, common parts once, times in UTC,
    short numbers. The session validates arguments, counts and records the call, and splits long
    responses into pages. One object serves all sessions of a process, so it is stateless.

    Attributes:
        name: Name of the tool: `query_metrics`.
        group: The group of tools with which it is enabled.
        reads_only: Whether it changes nothing; False for tools of a mode that keep their arguments.
        description: Description for language models.
        Arguments: Model of its arguments; each field has a description.
    """

    name: ClassVar[str]
    group: ClassVar[ToolGroup]
    description: ClassVar[str]
    reads_only: ClassVar[bool] = True
    Arguments: ClassVar[type[ToolArguments]] = ToolArguments

    @abstractmethod
    def respond(self, context: ToolContext, given: Any) -> str:
        """Return the whole response, as text.

        Args:
            context: Services and clock.
            given: A validated instance of `Arguments`.

        Raises:
            ToolError: There is no response; the language model reads the message.
        """


def clock_time(seconds: float) -> str:
    """A moment, in seconds since the Unix epoch, in RFC 3339: in UTC and whole seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
