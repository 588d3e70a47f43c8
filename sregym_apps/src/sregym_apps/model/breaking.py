"""Circuit breakers: clients that stop calling for a while."""

from __future__ import annotations

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Line


class CircuitBreaker(Entry):
    """When a client makes no calls for a while because too many have failed.

    One for each client of a process. Closed, it counts; open, it lets nothing through; then it
    lets a few calls through, by which it opens again or closes.

    Attributes:
        rate: Share of failing calls at which it opens, up to 1; without a number it never does.
        calls: It judges no fewer than so many in its window; a number or a setting.
        window: Over which it counts, as a duration; a number is seconds.
        open: How long it stays open.
        trials: Calls that it lets through then.
        log: What the program writes when it changes; `${name}` is the client, `${from}` and `${to}`
            are `CLOSED`, `OPEN` or `HALF_OPEN`.
    """

    rate: Text
    calls: Text = "20"
    window: Text = "10"
    open: Text = "60"
    trials: Text = "1"
    log: tuple[Line, ...] = ()
