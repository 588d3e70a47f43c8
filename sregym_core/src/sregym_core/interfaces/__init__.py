"""The base classes of everything a plugin can contribute.

Each module holds one kind. The class docstring shows a plugin's files; the method docstrings say
when the core calls them and what they must leave behind.
"""

from __future__ import annotations

from sregym_core.interfaces.actor import Actor, default_actor
from sregym_core.interfaces.agent import (
    Access,
    Agent,
    AgentDescription,
    Budget,
    Receipt,
    Reference,
    Session,
    Stage,
    Task,
)
from sregym_core.interfaces.application import Application, OperationTraffic, Prober, Traffic
from sregym_core.interfaces.attacks import Attacks, Cheat
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
from sregym_core.interfaces.deadline import DeadlineExceeded, run_with_deadline, thread_clock
from sregym_core.interfaces.failures import FatalCalls, PodFailures
from sregym_core.interfaces.history import History, Load, PastRestart
from sregym_core.interfaces.injector import LAYERS, Fault, FaultContext, Journal
from sregym_core.interfaces.mode import (
    BriefingContext,
    EpisodeResources,
    Mode,
    ResourcesContext,
)
from sregym_core.interfaces.nodes import (
    BackEnd,
    DiskBlocks,
    NodeAccess,
    node_access,
    restore_settings,
)
from sregym_core.interfaces.noise import EpisodeNoise, Noise, NoiseContext, NoiseRequest
from sregym_core.interfaces.operations import (
    CommandRefusedError,
    ContainerRuns,
    Operations,
    Startup,
)
from sregym_core.interfaces.oracle import (
    Baseline,
    DiagnosisOracle,
    Oracle,
    OracleContext,
    ProbeError,
    SystemState,
    SystemStates,
)
from sregym_core.interfaces.reporter import Reporter, RunPlan
from sregym_core.interfaces.reward import Reward, RewardFacts
from sregym_core.interfaces.routine import (
    EpisodeRoutineContext,
    Readiness,
    Routine,
    RoutineContext,
)
from sregym_core.interfaces.runner import EpisodeRequest, EpisodeResult, Runner
from sregym_core.interfaces.session_tool import (
    PagedArguments,
    SessionTool,
    ToolArguments,
    ToolContext,
    ToolError,
    clock_time,
)
from sregym_core.interfaces.tools import Tool, ToolGroup, ToolResult
from sregym_core.interfaces.vocabulary import Vocabulary

__all__ = [
    "LAYERS",
    "Access",
    "Actor",
    "Agent",
    "AgentDescription",
    "Application",
    "Attacks",
    "BackEnd",
    "Baseline",
    "BriefingContext",
    "Budget",
    "Cheat",
    "Checkpoint",
    "Clock",
    "Cluster",
    "ClusterError",
    "ClusterProvider",
    "ClusterSpec",
    "Command",
    "CommandRefusedError",
    "CommandResult",
    "ContainerRuns",
    "DeadlineExceeded",
    "DiagnosisOracle",
    "DiskBlocks",
    "EpisodeNoise",
    "EpisodeRequest",
    "EpisodeResources",
    "EpisodeResult",
    "EpisodeRoutineContext",
    "FatalCalls",
    "Fault",
    "FaultContext",
    "Finding",
    "History",
    "Journal",
    "Load",
    "Mode",
    "NodeAccess",
    "Noise",
    "NoiseContext",
    "NoiseRequest",
    "OperationTraffic",
    "Operations",
    "Oracle",
    "OracleContext",
    "PagedArguments",
    "PastRestart",
    "PodFailures",
    "ProbeError",
    "Prober",
    "Readiness",
    "Receipt",
    "Reference",
    "Reporter",
    "ResourcesContext",
    "Reward",
    "RewardFacts",
    "Routine",
    "RoutineContext",
    "RunPlan",
    "Runner",
    "ServiceAnswer",
    "Session",
    "SessionTool",
    "Stage",
    "Startup",
    "SystemState",
    "SystemStates",
    "Task",
    "Tool",
    "ToolArguments",
    "ToolContext",
    "ToolError",
    "ToolGroup",
    "ToolResult",
    "Traffic",
    "Vocabulary",
    "clock_time",
    "default_actor",
    "no_such_service",
    "node_access",
    "restore_settings",
    "run_with_deadline",
    "thread_clock",
]
