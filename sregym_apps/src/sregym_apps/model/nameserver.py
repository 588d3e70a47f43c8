"""Name servers: programs that answer by a Corefile."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.service import Program


class NameServerProgram(Program, Entry):
    """A CoreDNS: which ports it opens and what it answers stands in its Corefile.

    A Corefile that it cannot read keeps it from starting; one that changes takes effect when the
    plugin `reload` is there.

    Attributes:
        kind: `name-server`.
        version: As it reports it.
        build: The line about its build.
        query_cpu_ms: CPU time of one question that it answers itself: a core answers some 7,000 a
            second.
        log_cpu_ms: The same of the line that its plugin `log` writes.
        upstream_ms: Until a server outside has answered what it forwards there.
    """

    kind: Literal["name-server"]
    version: Text = "1.12.1"
    build: Text = "linux/amd64, go1.24.1, 707c7c1"
    query_cpu_ms: float = Field(default=0.15, gt=0)
    log_cpu_ms: float = Field(default=0.03, ge=0)
    upstream_ms: float = Field(default=6.0, ge=0)
    memory: Memory = Memory(base_mib="14", per_request_kib=32)
