"""Datastores: programs with state that clients give commands."""

from __future__ import annotations

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.service import Program

# Commands of datastores that change something.
WRITING = frozenset(
    {
        "add",
        "delete",
        "findAndModify",
        "incr",
        "insert",
        "produce",
        "publish",
        "put",
        "set",
        "update",
    }
)


class StoreProgram(Program, Entry):
    """What datastores have in common.

    Attributes:
        port: The port it serves.
        starts_in_s: Seconds from the start of the process to its first answer.
        cpu_ms: CPU time of a command.
        latency_ms: Time of a command besides.
    """

    port: Text
    starts_in_s: float = Field(default=0.5, ge=0)
    cpu_ms: float = Field(default=0.05, gt=0)
    latency_ms: float = Field(default=0.1, ge=0)
