"""Grounding: which observations of an episode show what its diagnosis says.

Everything derives from submission, transcript and names of components; the ground truth is not used, and
no verdict depends on it. A statement that nothing showed may be right all the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_core.model import Grounding, Support

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_core.model import StageRecord, ToolCall

# A diagnosis that states more is looked at as far as this.
MAX_STATEMENTS = 40
MAX_TEXT = 20_000
_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_TOKEN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:=-]*[A-Za-z0-9_%]")
_NAME = re.compile(r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z][.=:][A-Za-z0-9]|[a-z]-[a-z0-9]")
_QUANTITY = re.compile(r"\d+(?:\.\d+)?(?:[KMGT]i?B?|m|ms|s|%)|\d{2,}")


def grounding(
    stage: StageRecord, transcript: Sequence[ToolCall], components: Iterable[str]
) -> Grounding:
    """What a submission states, each with the first call before it that showed it.

    Args:
        stage: The diagnosis as it was handed in.
        transcript: All calls of the episode, in order.
        components: Names of the application's components.
    """
    ends = stage.submitted_at_s
    looked = [
        (place, call.output.lower())
        for place, call in enumerate(transcript)
        if call.tool != "submit" and call.output and (ends is None or call.at_s <= ends)
    ]
    supported: list[Support] = []
    unsupported: list[str] = []
    for what in _statements(stage, components):
        word = re.compile(rf"(?<!\w){re.escape(what.lower())}(?!\w)")
        shown = next((place for place, output in looked if word.search(output)), None)
        if shown is None:
            unsupported.append(what)
        else:
            supported.append(Support(what=what, call=shown))
    return Grounding(supported=tuple(supported), unsupported=tuple(unsupported))


def _statements(stage: StageRecord, components: Iterable[str]) -> list[str]:
    """Components, names and values that a submission speaks of, in the order of the text."""
    claims = stage.claims
    fields = (
        [] if claims is None else [claims.component, claims.detail, claims.before, claims.after]
    )
    text = "\n".join([*fields, stage.text])[:MAX_TEXT]
    found = {
        match.start(): name
        for name in components
        if (match := re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))
    }
    for match in _TOKEN.finditer(text):
        word = match[0]
        if match.start() not in found and (_NAME.search(word) or _QUANTITY.fullmatch(word)):
            found[match.start()] = word
    for match in _QUOTED.finditer(text):
        if " " not in match[1]:
            found.setdefault(match.start(1), match[1])
    told = dict.fromkeys(found[place] for place in sorted(found))
    return list(told)[:MAX_STATEMENTS]
