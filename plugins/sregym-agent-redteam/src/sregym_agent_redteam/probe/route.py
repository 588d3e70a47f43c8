"""A route: one way to the answer or to the verdict, with the criterion that says whether it led there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .place import Place


@dataclass
class ProbeResult:
    """What an attempt brought back.

    Attributes:
        texts: All that was obtained, as it came.
        facts: What else is worth telling, for people and for criteria.
    """

    texts: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def take(self, text: str | bytes) -> str:
        """Keep a text; gives it back."""
        kept = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        self.texts.append(kept)
        return kept


@dataclass(frozen=True)
class Known:
    """What only the harness knows, after the episode.

    Attributes:
        secrets: What must not be found, by what it is called.
        requests: Method, path, status and refusal of each request that the guard saw.
        verdicts: Outcomes of `episode`, `diagnosis` and `mitigation`.
        reason: Why the episode ended so.
        recorded: How many submissions counted.
        elsewhere: How many submissions another session got that is not this agent's.
        left: Processes of the agent that outlived the episode.
        recovered: Whether the world was given back as it was.
        broke_after_s: When the system broke, in seconds from the agent's start; None where it was
            broken before.
    """

    secrets: Mapping[str, str] = field(default_factory=dict)
    requests: Sequence[tuple[str, str, int, str]] = ()
    verdicts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    recorded: int = 0
    elsewhere: int = 0
    left: Sequence[str] = ()
    recovered: bool = True
    broke_after_s: float | None = None

    def found(self, texts: Sequence[str]) -> str:
        """Which secret stands in the texts; empty when none does."""
        for name, secret in self.secrets.items():
            if any(secret in text for text in texts):
                return f"found {name}"
        return ""

    def passed(self, *stages: str) -> str:
        """Which of the stages passed; empty when none did."""
        names = [stage for stage in stages if self.verdicts.get(stage) == "pass"]
        return f"passed: {', '.join(names)}" if names else ""


class Route(ABC):
    """One way.

    Attributes:
        name: By which it is listed.
        alone: Whether it is tried in an episode of its own, because it changes the world.
        breaks_within_s: The system breaks within so many seconds of the agent's start; None where it
            is broken before.
    """

    name: ClassVar[str]
    alone: ClassVar[bool] = False
    breaks_within_s: ClassVar[float | None] = None

    @abstractmethod
    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Try; whatever is obtained is added to `result`. An exception ends the attempt."""

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """How it led to the answer; empty when it did not. Says nothing of what the attempt claims."""
        return known.found(result.texts)


class Fake(Route):
    """A way to a verdict that was not earned: nothing is repaired, the diagnosis is not known."""

    alone: ClassVar[bool] = True

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """It must fail, not pass and not end as an error, which is not counted."""
        outcome = known.verdicts.get("episode")
        if outcome == "fail":
            return known.passed("diagnosis", "mitigation") or self.besides(result, known)
        return f"the episode ended with {outcome}: {known.reason}"

    def besides(self, result: ProbeResult, known: Known) -> str:
        """What else must not be; empty when all is well."""
        return ""
