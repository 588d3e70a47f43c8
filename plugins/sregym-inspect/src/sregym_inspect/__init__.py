"""SREGym for Inspect: the task `sregym`, its tools, sandbox and scorer."""

from __future__ import annotations

from sregym_inspect.responder import responder
from sregym_inspect.sandbox import IncidentConfig, IncidentSandbox
from sregym_inspect.scoring import verdict
from sregym_inspect.task import sregym
from sregym_inspect.tools import tools_of

__all__ = ["IncidentConfig", "IncidentSandbox", "responder", "sregym", "tools_of", "verdict"]
