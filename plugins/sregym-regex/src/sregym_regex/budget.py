"""What the work on behalf of one command, query or request may cost, and what it has cost.

Whatever follows from a text from outside (a script, a pattern, a query, a
document) is work under a `Budget`. Those who begin such work open one with `under`; the loops that
do it call `spend` and `allocate`, wherever they are. Outside of any budget both do nothing: the
simulation's own work has no limit.

One step is about a microsecond of a processor. Steps decide, and never a clock, so that the same
input ends at the same place everywhere.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Generic, NamedTuple, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
T = TypeVar("T")
MIB = 1 << 20
SECONDS_PER_STEP = 1e-6
# What is worked out where nothing is limited has its price all the same.
_UNLIMITED = 1 << 62


class BudgetExceededError(Exception):
    """Work that has cost more than it may; the code that opened the budget handles it."""


class OutOfStepsError(BudgetExceededError):
    """The work would go on for too long: to those who wait, it does not end."""


class OutOfMemoryError(BudgetExceededError):
    """The work needs more memory than it may have."""


class CancelledError(BudgetExceededError):
    """The work was cancelled."""


class Budget:
    """What one piece of work may cost.

    Args:
        steps: How many steps it may take.
        memory_bytes: How much memory it may ask for, all in all: nothing is given back.

    Attributes:
        spent: How many steps it has taken.
        allocated_bytes: How much memory it has asked for.
        cancelled: Whether the work is to end.
    """

    __slots__ = ("allocated_bytes", "cancelled", "memory_bytes", "spent", "steps")

    def __init__(self, steps: int, memory_bytes: int) -> None:
        self.steps, self.memory_bytes = steps, memory_bytes
        self.spent = self.allocated_bytes = 0
        self.cancelled = False

    def cancel(self) -> None:
        """Let the work end at its next step; any thread may say so."""
        self.cancelled = True

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            OutOfStepsError: There are none left.
            CancelledError: The work was cancelled.
        """
        if self.cancelled:
            raise CancelledError
        self.spent += steps
        if self.spent > self.steps:
            raise OutOfStepsError

    def allocate(self, size_bytes: int) -> None:
        """Ask for memory before it is filled, which takes steps too.

        Raises:
            OutOfMemoryError: There is not as much left.
            OutOfStepsError: Filling it takes too long.
        """
        self.allocated_bytes += size_bytes
        if self.allocated_bytes > self.memory_bytes:
            raise OutOfMemoryError
        self.spend(size_bytes >> 10)

    def affords(self, steps: int, size_bytes: int) -> bool:
        """Whether so much more may be spent and allocated."""
        if self.cancelled or self.spent + steps > self.steps:
            return False
        return self.allocated_bytes + size_bytes <= self.memory_bytes

    @contextmanager
    def portion(self) -> Iterator[None]:
        """Half of the steps that are left, for a part after which the rest goes on anyway."""
        kept, self.steps = self.steps, self.spent + (self.steps - self.spent) // 2
        try:
            yield
        finally:
            self.steps = kept

    @contextmanager
    def process(self) -> Iterator[None]:
        """A part that gives back its memory when it ends, as a process does."""
        held = self.allocated_bytes
        try:
            yield
        finally:
            self.allocated_bytes = held


# The budget of whatever this thread or task is at; a context variable, since patterns, globs and
# documents are read far below those who know on whose behalf.
_PRESENT: ContextVar[Budget | None] = ContextVar("budget", default=None)


def present() -> Budget | None:
    """The budget that is in force here; None where nothing is limited."""
    return _PRESENT.get()


@contextmanager
def under(budget: Budget) -> Iterator[Budget]:
    """Do work under a budget; one that is in force already goes on, and this one is not used."""
    outer = _PRESENT.get()
    if outer is not None:
        yield outer
        return
    token = _PRESENT.set(budget)
    try:
        yield budget
    finally:
        _PRESENT.reset(token)


@contextmanager
def portion() -> Iterator[None]:
    """Half of the steps that are left of the budget that is in force, for a part of the work."""
    budget = _PRESENT.get()
    if budget is None:
        yield
    else:
        with budget.portion():
            yield


def spend(steps: int = 1) -> None:
    """Take steps of the budget that is in force.

    Raises:
        OutOfStepsError: There are none left.
    """
    budget = _PRESENT.get()
    if budget is not None:
        budget.spend(steps)


def allocate(size_bytes: int) -> None:
    """Ask for memory of the budget that is in force.

    Raises:
        OutOfMemoryError: There is not as much left.
        OutOfStepsError: Filling it takes too long.
    """
    budget = _PRESENT.get()
    if budget is not None:
        budget.allocate(size_bytes)


def repeated(text: str, times: int) -> str:
    """A text so many times, paid for before it is made.

    Raises:
        OutOfMemoryError: It would be too long.
    """
    if times > 1:
        allocate(len(text) * times)
    return text * max(times, 0)


class _Priced(NamedTuple, Generic[T]):
    """A value, and what it took to work it out."""

    value: T
    steps: int
    size_bytes: int


def cached(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `functools.lru_cache`, for functions that spend: a value that is known costs what it did at first.

    Otherwise the cost of a client's work would depend on what others have asked for in the same
    process before.

    Args:
        maxsize: How many values are kept.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        def worked_out(*args: P.args, **kwargs: P.kwargs) -> _Priced[T]:
            with under(Budget(_UNLIMITED, _UNLIMITED)) as payer:
                steps, size_bytes = payer.spent, payer.allocated_bytes
                value = function(*args, **kwargs)
                return _Priced(value, payer.spent - steps, payer.allocated_bytes - size_bytes)

        priced = cast("Callable[P, _Priced[T]]", lru_cache(maxsize=maxsize)(worked_out))

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            budget = _PRESENT.get()
            if budget is None:
                return priced(*args, **kwargs).value
            before = (budget.spent, budget.allocated_bytes)
            found = priced(*args, **kwargs)
            if (budget.spent, budget.allocated_bytes) == before:  # it was known
                if not budget.affords(found.steps, found.size_bytes):
                    return function(*args, **kwargs)  # ends where it would have the first time
                budget.spent += found.steps
                budget.allocated_bytes += found.size_bytes
            return found.value

        return call

    return decorate
