"""Whether a text gives the concrete detail that was changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_core.model import GroundTruth

_PARTS = re.compile(r"[\s,;\[\]{}()\"']+")
_QUANTITY = re.compile(r"(\d+)\s*(?:mi|mib|mb|m)\b")
_WORDS_FOR = {"0": ("0", "zero", "no replicas", "none"), "1": ("1", "one")}
# Words of API paths and of sentences; alone they say nothing about this defect.
_GENERIC = frozenset(
    [
        "spec",
        "data",
        "metadata",
        "selector",
        "template",
        "containers",
        "image",
        "limits",
        "resources",
        "memory",
        "replicas",
        "ports",
        "targetport",
        "port",
        "service",
        "deployment",
        "configmap",
        "name",
        "key",
        "user",
        "role",
        "roles",
        "account",
        "from",
        "to",
        "the",
        "of",
        "in",
        "nothing",
        "container",
        "keys",
        "field",
        "value",
        "database",
        "labels",
    ]
)


def detail_tokens(truth: GroundTruth) -> tuple[str, ...]:
    """Distinctive words, any of which shows that the author saw what was changed, lower case.

    These are the parts of the new value that the old one had not, and of the old one that the new
    one has not; and, where something was removed as a whole, the name of what is gone.
    """
    before = _values(truth.changed.before)
    after = _values(truth.changed.after)
    tokens = [v for v in after if v not in before] + [v for v in before if v not in after]
    for value in list(tokens):
        tokens += [part for part in re.split(r"[=/]|:(?=[a-z])", value) if part not in before]
    if not (before and after):
        tokens += _values(re.sub(r"[.:/](?!\d)|\.(?=\w+$)", " ", truth.changed.what))
        tokens += _values(truth.changed.what)
        tokens.append(truth.object_name.lower())
    worth = [t for t in tokens if t not in _GENERIC and (len(t) > 2 or t.isdigit())]
    return tuple(dict.fromkeys(worth))


def whole_word(token: str) -> re.Pattern[str]:
    """The token as a whole word, in any case."""
    return re.compile(rf"(?<![\w-]){re.escape(token)}(?![\w-]|\.\d)", re.IGNORECASE)


def _values(text: str) -> list[str]:
    return [part for part in _PARTS.split(text.lower()) if part]


def gives_detail(text: str, truth: GroundTruth) -> str | None:
    """The first distinctive word that the text contains as a whole word, None if it has none."""
    low = _QUANTITY.sub(r"\1mi", text.lower())
    for token in detail_tokens(truth):
        wanted = _QUANTITY.sub(r"\1mi", token)
        for form in _WORDS_FOR.get(wanted, (wanted,)):
            if whole_word(form).search(low):
                return form
    return None
