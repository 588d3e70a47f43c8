"""Capacity of a program, and the reaction of its clients beyond it: limits, retries, pauses."""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import Field, model_validator

from sregym_apps.model.base import Entry, Text

# How a call can fail. `unavailable`: the registry knows no instance. `protocol`: what listens there
# speaks another one. `unauthorized`: known, but not allowed. `overloaded`: refused at connect.
# `no_file`: the caller has no descriptor left. `server`: the callee answered with an error of its own.
# `tls`: the caller does not trust the certificate that it is shown. `open`: its circuit breaker is.
ErrorKind = Literal[
    "dns",
    "refused",
    "reset",
    "timeout",
    "unreachable",
    "no_route",
    "no_port",
    "no_file",
    "unavailable",
    "protocol",
    "tls",
    "auth",
    "unauthorized",
    "overloaded",
    "open",
    "server",
]


class Answer(Entry):
    """What an HTTP client gets."""

    status: int = Field(default=200, ge=100, le=599)
    body: Text = ""
    content_type: str = "text/plain; charset=utf-8"


_DURATION = re.compile(r"^(\d+(?:\.\d+)?|\.\d+)(ns|us|ms|s|m|h)?$")
_UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str, otherwise: float) -> float:
    """Seconds of `1.5`, `50ms` or `2m`; `otherwise` of a text that is no duration over zero."""
    found = _DURATION.match(text.strip())
    if found is None:
        return otherwise
    return float(found.group(1)) * _UNITS_S[found.group(2) or "s"] or otherwise


def count(text: str, otherwise: int) -> int:
    """The number of a text of digits, else `otherwise`."""
    bare = text.strip()
    return int(bare) if bare.isdecimal() else otherwise


def amount(text: str) -> float:
    """The number of a text; 0 of one that is none above it."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if 0 < found < math.inf else 0.0


class Retry(Entry):
    """When a client makes a failed call again.

    Attributes:
        times: At most so often; a number or a setting. Never beyond the deadline of the caller that waits
            for the caller itself.
        attempts: The same as attempts in all, the first included; wins where it is a number.
        backoff: Pause before the first retry, as a duration; a number is seconds.
        growth: Each further pause is so many times the one before; a number or a setting.
        most_s: The longest pause.
        on: Kinds of failure that are tried again.
    """

    times: Text = "0"
    attempts: Text = ""
    backoff: Text = "0"
    growth: Text = "1"
    most_s: float = Field(default=60.0, gt=0)
    on: tuple[ErrorKind, ...] = ("timeout", "refused", "reset", "unavailable", "overloaded")


def growth_of(retry: Retry) -> float:
    """The factor from pause to pause of a resolved policy; 1 for a text that is no number above it."""
    try:
        return max(1.0, float(retry.growth))
    except ValueError:
        return 1.0


class Limits(Entry):
    """What a program takes at once.

    Attributes:
        concurrency: Requests worked on at the same time: threads of a pool, connections of a
            datastore; a number or a setting, empty for no limit besides the processor.
        rate: Requests begun in a second at most, as a limiter in the program lets them through; a number
            or a setting, empty or 0 for no such limit.
        queue: Requests that wait for their turn at most; more are turned away (`overloaded`); a number or a
            setting. Without it they wait as long as their callers do.
    """

    concurrency: Text = ""
    rate: Text = ""
    queue: Text = ""


class GarbageCollection(Entry):
    """A heap that is collected when it is full: pauses, processor time, and memory.

    What requests leave behind fills it, beyond the memory at rest, which `live_mib` is a part of.

    Attributes:
        heap_mib: Its size, as of `-Xmx`: MiB, or with a unit (`2g`); a number or a setting.
        growth: Instead: by how many percent of what is live it grows before it is collected, as of
            `GOGC`; a number or a setting, `off` for (nearly) never.
        limit: With `growth`: size that it does not grow beyond before it is collected, as of
            `GOMEMLIMIT`: bytes, or with a unit (`400MiB`); a text or a setting, empty for none.
        least_mib: With a growth of 100 it is not collected before it has so much.
        live_mib: What survives each collection, besides what requests in flight hold.
        per_request_kib: Garbage that a request makes.
        pause_ms: How long a collection stops all work.
        cpu_ms: Processor time of a collection that finds nothing live but `live_mib`.
    """

    heap_mib: Text = ""
    growth: Text = ""
    limit: Text = ""
    least_mib: float = Field(default=4.0, ge=0)
    live_mib: float = Field(default=16.0, ge=0)
    per_request_kib: float = Field(default=64.0, gt=0)
    pause_ms: float = Field(default=20.0, ge=0)
    cpu_ms: float = Field(default=40.0, ge=0)

    @model_validator(mode="after")
    def _has_a_size(self) -> GarbageCollection:
        if bool(self.heap_mib) == bool(self.growth):
            raise ValueError("a heap needs either 'heap_mib' or 'growth'")
        return self
