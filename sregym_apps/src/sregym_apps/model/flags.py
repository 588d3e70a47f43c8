"""What a program does otherwise while a flag is on, and its flags."""

from __future__ import annotations

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Line
from sregym_apps.model.program_capacity import Answer

_OFF = ("", "0", "false", "no", "off", "none")


class Flag(Entry):
    """A feature flag that a program requests from a server of flags, again and again while it runs.

    `${name}` stands for its value in what can change while the program runs: `when`, `unless`, and
    the numbers of variants.

    Attributes:
        server: `host:port` of the server, a program with `flags_file`.
        protocol: What is spoken with it.
        flag: Its name there.
        default: The value where the server cannot be reached, or knows no such flag.
        context: Attributes of the client, for flags with targeting: name -> settings and facts
            of the pod; `targetingKey` is the one by which fractions are drawn.
    """

    server: Text
    protocol: str = "grpc"
    flag: str
    default: Text = ""
    context: dict[str, Text] = Field(default_factory=dict)


class Variant(Entry):
    """What is different about an operation under a condition.

    Attributes:
        when: In effect while this text, filled in, is not empty, `0`, `false`, `no` or `off`.
        fails: Fraction of its requests that fail by themselves, before any call.
        error: What their callers receive.
        log: Lines that each of them writes.
        cpu_ms: CPU time besides.
        latency_ms: Other time besides.
        leaves_kib: Memory that each of its requests takes and never gives back.
        answer: What an HTTP client gets instead of the operation's answer.
    """

    when: Text
    fails: Text = "0"
    error: Text = "internal error"
    log: tuple[Line, ...] = ()
    cpu_ms: Text = "0"
    latency_ms: Text = "0"
    leaves_kib: Text = "0"
    answer: Answer | None = None


class Filter(Entry):
    """A regular expression that each request is tried on, by a matcher that backtracks.

    What it costs follows from the expression and the text: each trial of a character or a way takes
    time, and a search that needs more than `most_steps` of them is given up. What an expression
    finds changes nothing about the request; a text that is no expression is not tried.

    Attributes:
        pattern: The expression, usually a setting; empty for none.
        text: What it is tried on: `${query.NAME}` and `${header.NAME}` are those of the request.
        when: In effect while this text, filled in, is not empty, `0`, `false`, `no` or `off`.
        step_ns: Processor time of one trial, in nanoseconds.
        most_steps: After so many trials a search is given up, as by PCRE's limit of 10,000,000.
    """

    pattern: Text
    text: Text
    when: Text = "1"
    step_ns: float = Field(default=10.0, gt=0)
    most_steps: int = Field(default=10_000_000, ge=1)


class Conditional(Entry):
    """What is done under a condition alone.

    Attributes:
        when: Only while this text, filled in, is not empty, `0`, `false`, `no` or `off`.
        unless: Not while this text is so.
    """

    when: Text | None = Field(default=None)
    unless: Text | None = Field(default=None)


def is_on(text: str) -> bool:
    """Whether a text that has been filled in says yes."""
    return text.strip().lower() not in _OFF
