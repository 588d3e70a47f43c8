"""The base classes of everything a plugin can contribute.

Each module holds one kind. The class docstring shows a plugin's files; the method docstrings say
when the core calls them and what they must leave behind.
"""

from __future__ import annotations

from sregym_core.interfaces.agent import (
    Access,
    Agent,
    Budget,
    Receipt,
    Reference,
    Session,
    Stage,
    Task,
)
from sregym_core.interfaces.application import Application, OperationTraffic, Traffic
from sregym_core.interfaces.clock import Clock
from sregym_core.interfaces.cluster import (
    Checkpoint,
    Cluster,
    ClusterError,
    ClusterProvider,
    ClusterSpec,
    Command,
    CommandResult,
    Finding,
    ServiceAnswer,
    no_such_service,
)
from sregym_core.interfaces.injector import Fault, FaultContext, Journal
from sregym_core.interfaces.noise import Noise, NoiseContext
from sregym_core.interfaces.oracle import Baseline, Oracle, OracleContext
from sregym_core.interfaces.reporter import Reporter, RunPlan
from sregym_core.interfaces.tools import Tool, ToolGroup, ToolResult

__all__ = [
    "Access",
    "Agent",
    "Application",
    "Baseline",
    "Budget",
    "Checkpoint",
    "Clock",
    "Cluster",
    "ClusterError",
    "ClusterProvider",
    "ClusterSpec",
    "Command",
    "CommandResult",
    "Fault",
    "FaultContext",
    "Finding",
    "Journal",
    "Noise",
    "NoiseContext",
    "OperationTraffic",
    "Oracle",
    "OracleContext",
    "Receipt",
    "Reference",
    "Reporter",
    "RunPlan",
    "ServiceAnswer",
    "Session",
    "Stage",
    "Task",
    "Tool",
    "ToolGroup",
    "ToolResult",
    "Traffic",
    "no_such_service",
]
