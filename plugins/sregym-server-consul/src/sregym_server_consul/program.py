"""How a service model describes a service registry."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import BenignErrorSet, Log, Memory, StoreProgram, Text


class RegistryProgram(StoreProgram):
    """A service registry (Consul): processes register under a name, callers look it up.

    Attributes:
        kind: `registry`.
        ports: Further ports it listens on.
        version: As it reports it.
    """

    kind: Literal["registry"]
    port: Text = "8500"
    ports: tuple[Text, ...] = ()
    version: Text = "1.9.6"
    starts_in_s: float = Field(default=0.4, ge=0)
    log: Log = Log(format="consul")
    benign_errors: BenignErrorSet = "sregym_server_consul:benign_errors.yaml#consul"
    memory: Memory = Memory(base_mib="28", ramp_s=0.5)
