"""How virtual time moves while clients on the wall clock look on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Stepped:
    """Time stands still unless a caller moves it.

    It moves by `LiveWorld.advance`, by a modelled cost with each request, and while a client is
    blocked in a stream (a watch, a followed log) and no other request arrives: otherwise
    `kubectl rollout status` would wait for ever for a world that waits for it.

    Attributes:
        request_cost_s: Virtual seconds that one request takes; 0 for none.
        waiting_ratio: Virtual seconds per wall second while clients are blocked.
        quiet_s: Wall seconds without a request before blocked clients move the time.
    """

    request_cost_s: float = 0.05
    waiting_ratio: float = 30.0
    quiet_s: float = 0.05


@dataclass(frozen=True)
class Paced:
    """Time follows the wall clock.

    Attributes:
        ratio: Virtual seconds per wall second.
    """

    ratio: float = 1.0


Pacing: TypeAlias = Stepped | Paced
