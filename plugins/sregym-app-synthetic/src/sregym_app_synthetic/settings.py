"""What a generated application is asked to be, and the options that say so."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Least and most of each.
_BOUNDS: Mapping[str, tuple[float, float]] = {
    "services": (10, 5000),
    "depth": (3, 12),
    "fan_out": (1, 12),
    "stores": (0.0, 0.5),
    "caches": (0.0, 0.3),
    "queues": (0.0, 0.1),
    "load": (0.1, 100.0),
    "seed": (0, 2**32),
}


@dataclass(frozen=True)
class Settings:
    """Size and shape of the call graph.

    Attributes:
        services: Parts of the application, each with a Service: programs, stores, caches and queues.
        depth: Most calls one after another, that of a store included.
        fan_out: How many programs a program that calls others calls, on average.
        stores: Share of the parts that are databases.
        caches: Share that are caches; each stands before a database.
        queues: Share that are message brokers.
        load: How many times as much users ask as usual; what each part may use grows with it.
        seed: Another number, another application.
    """

    services: int = 40
    depth: int = 5
    fan_out: float = 3.0
    stores: float = 0.2
    caches: float = 0.15
    queues: float = 0.03
    load: float = 1.0
    seed: int = 0

    @classmethod
    def of(cls, options: Mapping[str, str], application: str) -> Settings:
        """Settings from options, the others as they are.

        Args:
            options: Name -> value; `fan-out` or `fan_out`.
            application: The application that is meant, for errors.

        Raises:
            UsageError: An option is unknown, or its value no number within its bounds.
        """
        given: dict[str, float] = {}
        for option, text in options.items():
            name = option.replace("-", "_")
            if name not in _BOUNDS:
                known = ", ".join(one.replace("_", "-") for one in _BOUNDS)
                msg = f"application {application!r} has no option {option!r}; known: {known}"
                raise UsageError(msg)
            given[name] = _number(name, text, f"application {application!r}, option {option!r}")
        made = replace(cls(), **given)  # type: ignore[arg-type]  # whole where they must be
        if made.caches > made.stores:
            msg = (
                f"application {application!r}: {made.caches:g} of the parts are to be caches, and "
                f"{made.stores:g} stores; each cache stands before a store, so make it fewer caches or more stores"
            )
            raise UsageError(msg)
        return made

    def options(self) -> str:
        """What differs from the usual, as `key=value,key=value`."""
        usual = Settings()
        return ",".join(
            f"{one.name.replace('_', '-')}={getattr(self, one.name):g}"
            if isinstance(getattr(self, one.name), float)
            else f"{one.name}={getattr(self, one.name)}"
            for one in fields(self)
            if getattr(self, one.name) != getattr(usual, one.name)
        )


def _number(name: str, text: str, where: str) -> float:
    low, high = _BOUNDS[name]
    whole = isinstance(getattr(Settings(), name), int)
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        what = "a whole number" if whole else "a number"
        msg = f"{where}: {what} from {low:g} to {high:.10g} is needed, not {text!r}"
        raise UsageError(msg)
    return number
