"""Agents that are commands: started, listened to, ended with all their children."""

from __future__ import annotations

from sregym_agents.command_line.agent import (
    SERVER,
    TOOL_TIMEOUT_S,
    Assignment,
    Call,
    CommandLineAgent,
    Vendor,
)
from sregym_agents.command_line.agent_events import (
    AgentEvent,
    AgentMessage,
    Event,
    EventReader,
    Failed,
    Introduced,
    Meter,
    OwnCallEnded,
    OwnCallStarted,
    Troubled,
    Used,
)
from sregym_agents.command_line.process import attend

__all__ = [
    "SERVER",
    "TOOL_TIMEOUT_S",
    "AgentEvent",
    "AgentMessage",
    "Assignment",
    "Call",
    "CommandLineAgent",
    "Event",
    "EventReader",
    "Failed",
    "Introduced",
    "Meter",
    "OwnCallEnded",
    "OwnCallStarted",
    "Troubled",
    "Used",
    "Vendor",
    "attend",
]
