"""What the session's own tools work with, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sregym_core.interfaces import ToolContext

if TYPE_CHECKING:
    from sregym_core.toolbox.on_call import OnCallResources


class SessionToolContext(ToolContext, Protocol):
    """What tools of plugins get, and the office of those on call."""

    on_call: OnCallResources | None


@dataclass(frozen=True)
class Output:
    """All that a tool has to say, before it is cut into pages."""

    text: str
    ok: bool = True
