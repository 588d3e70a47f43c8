"""What an agent did, counted: classes of tool use, sub-commands of kubectl, looks before acts.

Everything derives from the transcript of an episode's record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import CommandRefusedError
from sregym_kubernetes.command_lines import parse, verb
from sregym_kubernetes.tool_classes import ToolClass, tool_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Command
    from sregym_core.model import EpisodeRecord, ToolCall


# How kubectl tells that an API server does not let it.
_FORBIDDEN = "(Forbidden)"


def audit(record: EpisodeRecord) -> dict[str, Any]:
    """The whole account of an episode, as plain data."""
    calls = record.transcript
    classes = [tool_class(call) for call in calls]
    tokens = None if record.tokens is None else record.tokens.model_dump()
    return {
        "episode": record.episode,
        "problem": record.problem,
        "agent": record.agent,
        "mode": record.mode,
        "outcome": str(record.outcome),
        "stopped": record.stopped,
        "steps": len(calls),
        "tokens": tokens,
        "agent_version": record.agent_version,
        "model": record.model,
        "last_words": record.last_words,
        "classes": {str(kind): classes.count(kind) for kind in ToolClass},
        "reads_before_first_write": _reads_before(classes),
        "tools": _counts([call.tool for call in calls]),
        "subcommands": _counts([_subcommand(call) for call in calls]),
        "refused_or_failed": sum(not call.ok for call in calls),
        "attempts": attempts(record),
        "calls": [
            _line(number, call, kind)
            for number, (call, kind) in enumerate(zip(calls, classes, strict=True), 1)
        ],
    }


def attempts(record: EpisodeRecord) -> list[dict[str, Any]]:
    """What was tried and is not the agent's to do, in the order of time.

    Doors without their key, requests that the guard or the cluster's own rules refused, submissions
    that were late, repeated or too long, and what an adapter told of.
    """
    found = [attempt.model_dump() for attempt in record.attempts]
    found += [
        {
            "at_s": request.at_s,
            "via": "guard",
            "what": f"{request.method} {request.path}",
            "answer": f"{request.status} {request.refused}".rstrip(),
        }
        for request in record.requests
        if request.refused or request.status in (401, 403)
    ]
    found += [
        {"at_s": call.at_s, "via": call.tool, "what": _told(call), "answer": call.output[:200]}
        for call in record.transcript
        if not call.ok and (call.tool == "submit" or _FORBIDDEN in call.output)
    ]
    return sorted(found, key=lambda attempt: attempt["at_s"])


def _told(call: ToolCall) -> str:
    return str(call.arguments.get("command") or call.arguments.get("text") or "")[:200]


def _line(number: int, call: ToolCall, kind: ToolClass) -> dict[str, Any]:
    return {
        "number": number,
        "at_s": call.at_s,
        "wall_s": call.wall_s,
        "took_s": call.took_s,
        "cost_s": call.cost_s,
        "tool": call.tool,
        "class": str(kind),
        "arguments": call.arguments,
        "ok": call.ok,
        "exit_code": call.exit_code,
        "output": call.output,
        "truncated": call.truncated,
        "digest": call.digest,
        "tokens": None if call.tokens is None else call.tokens.model_dump(),
        "said": call.said,
        "own": call.own,
    }


def _reads_before(classes: Sequence[ToolClass]) -> int | None:
    """How often an agent looked before it first changed something; None when it never did."""
    looking = (ToolClass.KUBECTL_READ, ToolClass.OBSERVABILITY, ToolClass.NETWORK)
    if ToolClass.KUBECTL_WRITE not in classes:
        return None
    before = classes[: classes.index(ToolClass.KUBECTL_WRITE)]
    return sum(kind in looking for kind in before)


def _counts(names: Sequence[str]) -> dict[str, int]:
    found = {name: names.count(name) for name in dict.fromkeys(names) if name}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _subcommand(call: ToolCall) -> str:
    command = _command(call)
    return "" if command is None else " ".join(verb(command))


def _command(call: ToolCall) -> Command | None:
    if call.tool != "kubectl":
        return None
    try:
        return parse(str(call.arguments.get("command", "")))
    except CommandRefusedError:
        return None
