"""Events of a command-line agent while it acts, independent of its vendor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from sregym_core.model import Tokens

Event: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Introduced:
    """Who acts: what is not reported stays empty."""

    version: str = ""
    model: str = ""


@dataclass(frozen=True)
class AgentMessage:
    """Words of the model."""

    text: str


@dataclass(frozen=True)
class Used:
    """Tokens that were not reported before."""

    tokens: Tokens


@dataclass(frozen=True)
class OwnCallStarted:
    """A call of a tool that is not the session's."""

    call: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class OwnCallEnded:
    """Its result."""

    call: str
    output: str
    ok: bool


@dataclass(frozen=True)
class Troubled:
    """The program has difficulties and tries again; over when anything else happens."""

    reason: str


@dataclass(frozen=True)
class Failed:
    """The program reports that it cannot go on, and why."""

    reason: str


AgentEvent: TypeAlias = (
    Introduced | AgentMessage | Used | OwnCallStarted | OwnCallEnded | Troubled | Failed
)


class EventReader(ABC):
    """Understands the events of one program, a fresh one for each run of it.

    Events that it does not know are none of its business: versions differ.

    Attributes:
        kept: Pattern, below the program's home, of the files of events that it keeps for itself
            and that hold more than its output; empty for none.
    """

    kept: ClassVar[str] = ""

    @abstractmethod
    def read(self, event: Event) -> Iterable[AgentEvent]:
        """Understand an event of its output."""

    def read_kept(self, event: Event) -> Iterable[AgentEvent]:
        """Understand an event of the files that it keeps."""
        return ()

    def close(self) -> Iterable[AgentEvent]:
        """The program has ended: what was still open."""
        return ()


@dataclass
class Meter:
    """Adds up tokens that are reported more than once: request by request, and in all."""

    _requests: dict[str, Tokens] = field(default_factory=dict)
    _counted: Tokens = field(default_factory=Tokens)

    def request(self, name: str, used: Tokens) -> Iterator[Used]:
        """What one request has used so far."""
        yield from self._count(self._requests.get(name, Tokens()), used)
        self._requests[name] = used

    def total(self, used: Tokens) -> Iterator[Used]:
        """What all requests have used so far; less than was counted already counts nothing."""
        yield from self._count(self._counted, used)

    def _count(self, before: Tokens, used: Tokens) -> Iterator[Used]:
        more = Tokens(
            prompt=max(0, used.prompt - before.prompt),
            completion=max(0, used.completion - before.completion),
            cached=max(0, used.cached - before.cached),
        )
        if more == Tokens():
            return
        counted = self._counted
        self._counted = Tokens(
            prompt=counted.prompt + more.prompt,
            completion=counted.completion + more.completion,
            cached=counted.cached + more.cached,
        )
        yield Used(more)
