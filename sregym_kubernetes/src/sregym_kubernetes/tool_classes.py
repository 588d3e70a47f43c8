"""Kinds of tool use, as the transcript of an episode shows them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from sregym_core.interfaces import CommandRefusedError

from sregym_kubernetes.command_lines import parse, reads_only, verb

if TYPE_CHECKING:
    from sregym_core.interfaces import Command
    from sregym_core.model import ToolCall


class ToolClass(StrEnum):
    """Kinds of tool use."""

    KUBECTL_READ = "kubectl read"
    KUBECTL_WRITE = "kubectl write"
    OBSERVABILITY = "observability"
    NETWORK = "network"
    WAIT = "wait"
    SHELL = "shell"
    OTHER = "other"


_OBSERVING = frozenset(
    [
        "query_metrics",
        "query_metrics_range",
        "list_metrics",
        "alerts",
        "query_logs",
        "log_labels",
        "list_services",
        "search_traces",
        "get_trace",
        "service_dependencies",
    ]
)
# Programs that ask over the network when they run in a container.
_PROBES = re.compile(
    r"\b(curl|wget|nslookup|dig|host|ping|nc|ncat|telnet|traceroute|grpcurl|getent|openssl s_client)\b"
)


def tool_class(call: ToolCall) -> ToolClass:
    """Which kind of use a call is; of the agent's own tools, what takes a command is a shell."""
    if call.own:
        return ToolClass.SHELL if "command" in call.arguments else ToolClass.OTHER
    if call.tool in _OBSERVING:
        return ToolClass.OBSERVABILITY
    if call.tool == "wait":
        return ToolClass.WAIT
    command = _command(call)
    if command is None:
        return ToolClass.OTHER
    name = next(iter(verb(command)), "")
    if name in ("exec", "run", "debug"):
        probing = _PROBES.search(" ".join(command.argv)) is not None
        if probing:
            return ToolClass.NETWORK
        return ToolClass.SHELL if name == "exec" else ToolClass.KUBECTL_WRITE
    if name in ("wait",) or verb(command) == ("rollout", "status"):
        return ToolClass.WAIT
    return ToolClass.KUBECTL_READ if reads_only(command) else ToolClass.KUBECTL_WRITE


def _command(call: ToolCall) -> Command | None:
    if call.tool != "kubectl":
        return None
    try:
        return parse(str(call.arguments.get("command", "")))
    except CommandRefusedError:
        return None
