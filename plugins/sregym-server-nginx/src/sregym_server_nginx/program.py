"""nginx as a program that reads its own configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Entry, Memory, StoreProgram, Text


class NginxProgram(StoreProgram, Entry):
    """An nginx that serves what the configuration in its container says: nginx.conf and what that includes.

    Servers, locations, files, redirects, upstreams, variables, logs and TLS are as the files have
    them; hosts that they name are looked up when it starts and when it is reloaded. For a proxy of
    an application, whose load is to be followed, see `http-proxy`.

    Attributes:
        kind: `nginx`.
        version: As it names it.
        port: Where it serves when its configuration says nothing.
    """

    kind: Literal["nginx"]
    version: Text = "1.27.5"
    port: Text = "80"
    starts_in_s: float = Field(default=0.05, ge=0)
    memory: Memory = Memory(base_mib="9", ramp_s=0.1)
