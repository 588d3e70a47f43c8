"""Keeps what agents changed as long as this process runs: nodes heal by themselves soon after it."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_nodes.remote import NodeAgent


class Renewal:
    """Renews leases every so often, on a thread that ends with the process.

    Args:
        period_s: Seconds between two times; a node that cannot be reached is tried again the next time.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._agents: dict[str, NodeAgent] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def see_to(self, agent: NodeAgent) -> None:
        """Renew what this agent changed, from now on."""
        with self._lock:
            self._agents[agent.node] = agent
            if self._thread is None:
                self._thread = threading.Thread(target=self._renew, daemon=True, name="leases")
                self._thread.start()

    def end(self) -> None:
        """Renew nothing any more."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _renew(self) -> None:
        while not self._ended.wait(self._period_s):
            with self._lock:
                agents = list(self._agents.values())
            for agent in agents:
                # Whatever keeps one from being reached is looked at when it is needed.
                with suppress(Exception):
                    agent.renew()
