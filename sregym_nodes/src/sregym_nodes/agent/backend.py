"""What a back end is: one mechanism of the kernel that brings about what is requested."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .journal import Entry

    # Writes down what is needed to undo the next step; the step comes after.
    Note = Callable[[Mapping[str, Any]], None]


class Backend(ABC):
    """One mechanism.

    A change lives in a process that holds it: `inject`, `probe` and `attend` are called there, in this
    order; `undo` there or elsewhere, after a crash also without any of them.

    Attributes:
        name: The word for it.
        kinds: Kinds of requests that it serves, `ask["kind"]`.
    """

    name: ClassVar[str]
    kinds: ClassVar[frozenset[str]]

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """Whether it is about such a thing at all, on any machine."""
        return ask["kind"] in cls.kinds

    @abstractmethod
    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Try whether this can be done here, and leave nothing of the trial.

        Returns:
            Empty when it can; else what was seen and what to do about it.
        """

    def resource(self, ask: Mapping[str, Any]) -> str:
        """What only one change at a time may hold: a device, the calls of some processes."""
        return str(ask["key"])

    @abstractmethod
    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Bring it about.

        Args:
            ask: The request.
            note: Writes the state from which `undo` undoes the next step; called before that step.

        Raises:
            Refusal: It cannot be done after all.
        """

    @abstractmethod
    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Look whether it bites, by doing what it is about.

        Returns:
            What was seen.

        Raises:
            Refusal: No effect was seen.
        """

    @abstractmethod
    def undo(self, state: Mapping[str, Any]) -> None:
        """Make everything as it was; nothing happens where it is so already.

        Raises:
            Refusal: It cannot be undone yet.
        """

    def dismiss(self, state: Mapping[str, Any]) -> None:  # noqa: B027 - nothing by default
        """The process that holds the change is to end: collect what it started, if anything."""

    def repair(self, entry: Entry) -> list[list[str]]:
        """Commands by which an administrator of this machine makes it whole without the journal.

        What is left of the change then goes by itself.
        """
        return []

    def stands(self, entry: Entry) -> bool:
        """Whether it is still so: others may have undone it."""
        return entry.is_held

    def attend(self, ask: Mapping[str, Any], timeout_s: float) -> bool:
        """Do what has to be done while it lasts, for so many seconds at most.

        Returns:
            Whether it lasts; False when another process ended it.
        """
        raise NotImplementedError

    @property
    def needs_attention(self) -> bool:
        """Whether `attend` has anything to do; else the process only waits for the end."""
        return False
