"""How an agent went about it, from its calls alone: what it looked at, and what it wasted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sregym_core.interfaces import CommandRefusedError
from sregym_kubernetes.command_lines import parse, reads_only, verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.model import GroundTruth, ToolCall

# Calls that show nothing of the system.
_BLIND = frozenset({"submit", "wait", "status"})


def invalid(calls: Sequence[ToolCall]) -> int:
    """Calls that were refused: no such tool, wrong arguments, a submission too many.

    A command that ran and failed is none: `kubectl get` of what is missing is how one finds out.
    """
    return sum(not call.ok and call.exit_code is None and not call.own for call in calls)


def repeated(calls: Sequence[ToolCall]) -> int:
    """Looks that were taken before, with the same answer and nothing changed in between."""
    seen: set[tuple[str, str, str]] = set()
    count = 0
    for call in calls:
        if call.tool == "wait" or changes(call):
            seen.clear()
        elif looks(call):
            key = (call.tool, json.dumps(call.arguments, sort_keys=True), call.digest)
            count += key in seen
            seen.add(key)
    return count


def premature(calls: Sequence[ToolCall]) -> int:
    """Things done blindly: a change, and a diagnosis, each before any look that showed something."""
    found = 0
    wrote = False
    for call in calls:
        if looks(call) and call.ok:
            break
        if changes(call) and not wrote:
            wrote = True
            found += 1
        if call.tool == "submit" and call.arguments.get("stage") == "diagnosis":
            found += 1
            break
    return found


def looks(call: ToolCall) -> bool:
    """Whether a call can show something of the system and changes nothing."""
    if call.own or call.tool in _BLIND:
        return False
    if call.tool != "kubectl":
        return True
    try:
        return reads_only(parse(str(call.arguments.get("command", ""))))
    except CommandRefusedError:
        return False


def changes(call: ToolCall) -> bool:
    """Whether a call can change the system; what runs in a container counts as a look and as this."""
    if call.own or call.tool != "kubectl":
        return False
    try:
        command = parse(str(call.arguments.get("command", "")))
    except CommandRefusedError:
        return False
    return not reads_only(command) and verb(command)[:1] != ("exec",)


def evidence(calls: Sequence[ToolCall], ground_truths: Sequence[GroundTruth]) -> float:
    """Share of the root causes that the agent had seen before it handed in its diagnosis.

    Half for an answer that is about the defective component or object, half for one that shows the
    changed value itself; a listing of everything shows the first at most. 0.0 to 1.0.
    """
    if not ground_truths:
        return 0.0
    texts = list(_seen(calls))
    return sum(_shown(texts, truth) for truth in ground_truths) / len(ground_truths)


def _seen(calls: Sequence[ToolCall]) -> Iterator[tuple[str, str]]:
    """What was asked and what was answered, until the diagnosis."""
    for call in calls:
        if call.tool == "submit" and call.ok:
            return
        if call.ok and (looks(call) or call.tool == "kubectl"):
            yield json.dumps(call.arguments), call.output


def _shown(texts: Sequence[tuple[str, str]], truth: GroundTruth) -> float:
    names = {truth.component, truth.object_name} - {""}
    about = [text for text in texts if any(_has(text[0], name) for name in names)]
    named = any(_has(answer, name) for _, answer in texts for name in names)
    part = 0.5 if about else 0.25 * named
    after = truth.changed.after
    detail = any(_has(answer, after) for _, answer in about) if after else bool(about)
    return part + 0.5 * detail


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None
