"""Lines in the logs of healthy services that mean nothing, in the form of their other lines."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import ClusterError
from sregym_injectors.noise import Disturbance, Schedule, ready_services

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_injectors.noise import NoiseTarget, Occurrence

# What a line begins with: time, level; and what stands between it and the message.
_CONSOLE = re.compile(
    r"^(?P<time>\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)(?P<gap>\s+)\[?(?P<level>[A-Z]{3,7})\b"
)
_SHORT = {"DEBUG": "DBG", "INFO": "INF", "WARN": "WRN", "ERROR": "ERR"}


class LogNoise(Disturbance):
    """Lets a ready service write some lines.

    Attributes:
        lines: What it may write, as level and message; several messages are one event.
    """

    family: ClassVar[str] = "logs"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(45.0, 120.0))
    lines: ClassVar[Sequence[tuple[str, Sequence[str]]]]

    def begin(self, occurrence: Occurrence) -> str:
        """1, 3 or 8 events, written to the standard output of the container's first process."""
        targets = ready_services(occurrence.context)
        for target in occurrence.chance.sample(targets, min(len(targets), _TRIES)):
            if self._written(occurrence, target):
                occurrence.note(target.component.name)
                return f"lines in the log of {target.component.name}"
        return ""

    def _written(self, occurrence: Occurrence, target: NoiseTarget) -> bool:
        cluster, part = occurrence.context.cluster, target.component
        pod = occurrence.chance.choice(target.pods)["metadata"]["name"]
        try:
            known = cluster.logs(part.namespace, pod, part.container).splitlines()[-20:]
        except ClusterError:
            return False
        stamp = occurrence.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        text = []
        for _ in range(occurrence.by_level(1, 3, 8)):
            level, messages = occurrence.chance.choice(self.lines)
            chosen = [_filled(message, occurrence) for message in messages]
            text += formed(known, stamp, level, chosen)
        words = " ".join(map(shlex.quote, text))
        script = f"printf '%s\\n' {words} > /proc/1/fd/1"
        done = cluster.exec(part.namespace, pod, ("sh", "-c", script), part.container)
        return done.ok


_TRIES = 4


class LogRetries(LogNoise):
    """Calls that succeed when they are tried again."""

    name: ClassVar[str] = "log-retries"
    title: ClassVar[str] = "services log that they try calls again, which then succeed"
    lines: ClassVar[Sequence[tuple[str, Sequence[str]]]] = (
        ("WARN", ("upstream call attempt 1/3 failed after {ms} ms, trying again",)),
        ("WARN", ("connection reset by peer, connection returned to pool and reopened",)),
        ("INFO", ("retry succeeded on attempt 2 after {ms} ms",)),
        ("WARN", ("lease renewal was late by {ms} ms, renewed",)),
        ("ERROR", ("context deadline exceeded while prefetching, request served without it",)),
    )


class LogDeprecations(LogNoise):
    """What will be removed some day."""

    name: ClassVar[str] = "log-deprecations"
    title: ClassVar[str] = "services log that something is deprecated"
    lines: ClassVar[Sequence[tuple[str, Sequence[str]]]] = (
        ("WARN", ("option --legacy-balancer is deprecated and will be removed in v{n}",)),
        ("WARN", ("TLS 1.2 ciphers are deprecated, set tls.minVersion",)),
        ("WARN", ("configuration key trace.sampler is deprecated, use tracing.sampling",)),
        ("INFO", ("metrics endpoint v1beta1 is deprecated since release {n}",)),
    )


class LogStackTraces(LogNoise):
    """Stack traces of what was caught and handled."""

    name: ClassVar[str] = "log-stack-traces"
    title: ClassVar[str] = "services log stack traces of errors that they have handled"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(90.0, 210.0))
    lines: ClassVar[Sequence[tuple[str, Sequence[str]]]] = (
        (
            "ERROR",
            (
                "recovered from panic in background worker: send on closed channel",
                "goroutine {n}{n} [running]:",
                "internal/worker.(*Pool).flush(0xc000{n}{n}a0)",
                "\t/src/internal/worker/pool.go:{n} +0x1b{n}",
            ),
        ),
        (
            "ERROR",
            (
                "error while closing idle connection: use of closed network connection",
                "\tat net.pool.Idle.close(Idle:{n})",
                "\tat net.pool.Reaper.run(Reaper:{n})",
            ),
        ),
        (
            "WARN",
            (
                "could not refresh feature flags, keeping the cached ones",
                "\tat flags.Client.refresh(Client:{n})",
                "\tcaused by: stream terminated by RST_STREAM with error code NO_ERROR",
            ),
        ),
    )


def formed(known: Sequence[str], stamp: str, level: str, messages: Sequence[str]) -> list[str]:
    """An event as lines in the form of those that a program wrote before.

    Args:
        known: Its latest lines.
        stamp: The time, in RFC 3339.
        level: `WARN`, for instance.
        messages: The first is the message, others are lines of its own below.
    """
    first, *below = messages
    for line in reversed(known):
        if (structured := _json(line)) is not None:
            return [_like(structured, stamp, level, "\n".join(messages))]
        if (found := _CONSOLE.match(line)) is not None:
            told = _SHORT.get(level, level) if len(found["level"]) == len("INF") else level
            return [f"{stamp}{found['gap']}{told} {first}", *below]
    return [f"{stamp} {level} {first}", *below]


def _json(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        content = json.loads(line)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _like(line: dict[str, Any], stamp: str, level: str, message: str) -> str:
    """A JSON line with the fields for time, level and message that another one has."""
    made: dict[str, Any] = {}
    for key, value in line.items():
        word = key.lower().lstrip("@")
        if word in ("time", "timestamp", "ts"):
            made[key] = stamp if isinstance(value, str) else value
        elif word in ("level", "severity", "lvl", "log.level"):
            made[key] = level.lower() if str(value).islower() else level
        elif word in ("message", "msg", "event"):
            made[key] = message
    if not {"message", "msg", "event"} & {key.lower().lstrip("@") for key in made}:
        made["message"] = message
    return json.dumps(made)


def _filled(message: str, occurrence: Occurrence) -> str:
    while "{" in message:
        before, _, rest = message.partition("{")
        what, _, after = rest.partition("}")
        number = (
            occurrence.chance.randint(20, 900) if what == "ms" else occurrence.chance.randint(2, 97)
        )
        message = f"{before}{number}{after}"
    return message
