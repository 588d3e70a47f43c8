"""Output of a scripted language model in a turn, whatever protocol carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What every turn costs, in the provider's own fields.
PROMPT_TOKENS = 100
CACHED_TOKENS = 60
COMPLETION_TOKENS = 10


@dataclass(frozen=True)
class Turn:
    """One answer of the model.

    Attributes:
        text: May be empty before a call.
        tool: The tool it uses; empty for none.
        arguments: Of the call.
    """

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None

    def named(self, offered: Sequence[str]) -> str:
        """The tool's name as the client offered it: clients put their servers' names in front."""
        fitting = [name for name in offered if name == self.tool or name.endswith(f"_{self.tool}")]
        return min(fitting, key=len, default=self.tool)


def final_message(text: str) -> Turn:
    """Words alone: the model is done."""
    return Turn(text=text)


def use(tool: str, said: str = "", /, **arguments: Any) -> Turn:
    """A call, perhaps with words before."""
    return Turn(said, tool, arguments)
