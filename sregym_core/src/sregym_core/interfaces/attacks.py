"""What the proof of a problem does to a system, and what must not pass as its repair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.agent import Session
    from sregym_core.model import Component

# Acts in a session, on targets, of all components of an application.
Cheat: TypeAlias = Callable[["Session", tuple["Component", ...], tuple["Component", ...]], None]


class Attacks(ABC):
    """Cheats and harms by which a proof tries oracles: `Operations.attacks`.

    A cheat makes a system look repaired and repairs nothing; a harm is done beside a true repair. The
    mitigation oracle has to fail every cheat, and to name every harm as a side effect that decides.
    """

    @property
    @abstractmethod
    def cheats(self) -> Mapping[str, Cheat]:
        """By name, in the order in which they are tried; what acts uses the session's kubectl alone."""

    @property
    @abstractmethod
    def restarts(self) -> frozenset[str]:
        """Cheats that restart processes and change nothing: right repairs of state that dies with one."""

    @abstractmethod
    def possible(self, everything: tuple[Component, ...]) -> tuple[str, ...]:
        """Classes of the harms for which these components have what they need, as side effects name them."""

    @abstractmethod
    def harm(self, session: Session, everything: tuple[Component, ...], done: set[str]) -> None:
        """Do all harms, in one episode.

        Args:
            session: The agent's, after a true repair.
            everything: Components of the application.
            done: Takes the classes of what not every application has something for, where it was done.
        """
