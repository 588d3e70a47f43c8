"""The load generator: a program that sends a mix of requests at a rate and reports on it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.service import Program


class MixEntry(Entry):
    """One kind of request in the mix.

    Attributes:
        request: Method and path as sent: `GET /hotels?inDate=2015-04-09`.
        weight: Its part of the rate, relative to the other weights.
    """

    request: str = Field(pattern=r"^[A-Z]+ /\S*$")
    weight: float = Field(gt=0)


class LoadGeneratorProgram(Program):
    """An open-loop load generator: the rate holds whatever the answers.

    Attributes:
        kind: `load-generator`.
        target: URL that paths are appended to.
        rate: Requests a second.
        timeout_s: After which a request counts as timed out.
        round_s: Every so many seconds one line per operation tells how it went.
        connections: As it announces in its first line.
        threads: As it announces in its first line.
        mix: Operation -> request and weight.
    """

    kind: Literal["load-generator"]
    target: Text
    rate: Text
    timeout_s: float = Field(default=5.0, gt=0)
    round_s: float = Field(default=10.0, gt=0)
    connections: Text = "100"
    threads: Text = "3"
    mix: dict[str, MixEntry] = Field(min_length=1)
    memory: Memory = Memory(base_mib="12")
