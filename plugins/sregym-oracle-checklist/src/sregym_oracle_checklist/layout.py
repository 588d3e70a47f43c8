"""From a submission to its lines: markdown, JSON and code blocks taken apart, sections recognised."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# Work is linear in the text, and the text is bounded: a diagnosis that needs more is none. Both
# ends are kept, since reports put the conclusion first or last.
MAX_CHARS = 20_000
MAX_JSON_LEAVES = 400
# A longer sentence is cut at a space: work on one sentence grows faster than its length.
MAX_SENTENCE = 1_500
# A row at least this long was probably broken by an editor and not by its author.
WRAPPED_AT = 70


class Section(Enum):
    """What a part of a report is about, by its heading or label."""

    NONE = "none"
    CAUSE = "cause"
    EFFECT = "effect"
    CONTRIBUTING = "contributing"
    CLEARED = "cleared"
    FIX = "fix"
    EVIDENCE = "evidence"


@dataclass(frozen=True)
class Line:
    """One line or paragraph.

    Attributes:
        text: Without list marks and emphasis.
        section: What it is about.
        opens: Whether it is the first line of its section, or carries the label itself.
    """

    text: str
    section: Section = Section.NONE
    opens: bool = False


# The first that matches wins: "not the cause" before "cause".
LABELS: tuple[tuple[Section, str], ...] = (
    (
        Section.CLEARED,
        r"ruled[ _-]?out|not (?:the |a )?(?:root )?causes?|excluded|eliminated|unaffected|not affected"
        r"|healthy|innocent|red herrings?|discarded|rejected|what (?:is|was) (?:fine|healthy)",
    ),
    (Section.CONTRIBUTING, r"contribut\w+.*"),
    (
        Section.EFFECT,
        r"(?:\w+ )*impact\w*.*|.*affected.*|symptoms?.*|victims?.*|effects?|scope|blast radius"
        r"|downstream.*|consequences?|cascade.*|propagation|customer.*|user[ -]facing.*",
    ),
    (
        Section.FIX,
        r"(?:\w+ )?fix(?:es)?|remediation.*|mitigations?|recommended .*|recommendations?|next steps?"
        r"|resolution|actions?(?: items?)?|solution|workaround|repair|how to fix.*|prevention",
    ),
    (
        Section.CAUSE,
        r"(?:\w+ ){0,3}root[ _-]?causes?(?: \w+){0,3}|(?:\w+ )?causes?|cause.*|culprit.*|diagnosis|component"
        r"|(?:faulty|broken|defective|failing|responsible) \w+|mechanism|(?:fault|defect|failure)(?:[ _-]?\w+)?"
        r"|what(?:'s| is| was| went)? (?:wrong|broken)|what broke|problem|issue|findings?|conclusion"
        r"|location|where|kind|object|origin|resource|service|workload|root|rc|rca|why",
    ),
    (
        Section.EVIDENCE,
        r"evidence|investigation.*|timeline|analysis|logs?|events?|reasoning|observations?"
        r"|what i (?:saw|did|checked|looked at)|steps(?: taken)?|checks?|how i found.*|proof|background",
    ),
    (
        Section.NONE,
        r"summary|tl;?dr|details?|what changed|change|overview|incident.*|title|report|notes?"
        r"|description|status|severity|confidence|namespace|before|after|expected|actual|found",
    ),
)
_LABELS = tuple((section, re.compile(pattern)) for section, pattern in LABELS)
_LABELLED = re.compile(r"^([A-Za-z][A-Za-z0-9 '/_;-]{0,40}?)\s*(?::|=|\s--?\s)\s*(.*)$")
_MARKER = re.compile(r"^\s*(?:>\s*)*(?:[-*+•‣·]\s+|\(?\d{1,2}[.)]\s+|\(?[a-z]\)\s+)?")
_HEADING = re.compile(r"^\s*(?:>\s*)*(#{1,6})\s*(.*?)\s*#*\s*$")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])")
# Typographic quotes, dashes and spaces, as word processors and models write them.
_QUOTES = str.maketrans("\u2019\u2018\u201c\u201d\u2013\u2014\u00a0", "''\"\"-- ")


def label_section(label: str, names: frozenset[str]) -> Section | None:
    """What a heading or label announces; None when it is no label, or is a component's name."""
    words = re.sub(r"[^a-z;' -]", " ", label.lower().replace("_", " ")).strip()
    words = re.sub(
        r"^(?:the|a|our|my|likely|probable|most likely|final|actual|primary|main) ", "", words
    )
    # `The root cause is in geo: ...` is a sentence, and `The root cause is: ...` a label.
    if not words or words in names or re.search(r"causes? (?:is|are|was|were) \w", words):
        return None
    return next((section for section, pattern in _LABELS if pattern.fullmatch(words)), None)


def lines_of(text: str, names: frozenset[str]) -> list[Line]:
    """The lines of a submission.

    Args:
        text: As submitted.
        names: Component names in lower case, which are never taken for labels.
    """
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    text = text.translate(_QUOTES)
    whole = _as_json(text)
    if whole is not None:
        return list(_json_lines(whole, names))
    lines: list[Line] = []
    at = 0
    for fence in _FENCE.finditer(text):
        lines += _prose_lines(text[at : fence.start()], names)
        data = _as_json(fence[1])
        if data is not None:
            lines += _json_lines(data, names)
        else:
            # What a tool printed is something to look at, not something that is claimed.
            lines += [Line(row, Section.EVIDENCE) for row in fence[1].splitlines() if row.strip()]
        at = fence.end()
    return lines + _prose_lines(text[at:], names)


def _unwrapped(text: str, names: frozenset[str]) -> list[str]:
    """Rows, with those joined that an editor broke in the middle of a sentence."""
    rows: list[str] = []
    wrapped = False
    for row in text.splitlines():
        marker = _MARKER.match(row)
        new = not row.strip() or bool(marker and marker[0].strip()) or row.lstrip()[0] in "#|>"
        labelled = _LABELLED.match(_EMPHASIS.sub("", row).strip())
        new = new or bool(labelled and label_section(labelled[1], names))
        if wrapped and not new:
            rows[-1] += f" {row.strip()}"
        else:
            rows.append(row)
        wrapped = len(row.rstrip()) >= WRAPPED_AT and not row.lstrip().startswith(("#", "|"))
    return rows


def _prose_lines(text: str, names: frozenset[str]) -> list[Line]:
    lines: list[Line] = []
    section, fresh = Section.NONE, False
    for row in _unwrapped(text, names):
        heading = _HEADING.match(row)
        bare = _EMPHASIS.sub("", heading[2] if heading else _MARKER.sub("", row)).strip()
        if bare.startswith("|"):
            bare = ": ".join(cell.strip() for cell in bare.strip("|").split("|"))
        if not bare or not re.search(r"\w", bare):
            continue
        if heading or (bare.endswith(":") and len(bare) < 60):
            known = label_section(bare.rstrip(":"), names)
            if known is not None or heading:
                section, fresh = known or Section.NONE, True
            if known is not None:
                continue
        labelled = _LABELLED.match(bare)
        own = label_section(labelled[1], names) if labelled else None
        if labelled and own is not None and labelled[2]:
            lines.append(Line(labelled[2], own, opens=True))
            fresh = False
            continue
        if labelled and own is not None:
            section, fresh = own, True
            continue
        lines.append(Line(bare, section, opens=fresh))
        fresh = False
    return lines


def _as_json(text: str) -> Any:
    """The JSON object or list that the text is, or that makes up nearly all of it."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[":
        return None
    try:
        data = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict | list) else None


def _json_lines(data: Any, names: frozenset[str]) -> Iterator[Line]:
    """Leaves as lines, breadth first in every object, each in the section that its key announces."""
    stack: list[tuple[Any, str, Section]] = [(data, "", Section.NONE)]
    left = MAX_JSON_LEAVES
    while stack and left:
        value, key, section = stack.pop()
        if isinstance(value, dict):
            for name, item in reversed(list(value.items())):
                own = label_section(_spaced(str(name)), names)
                stack.append((item, str(name), section if own is None else own))
        elif isinstance(value, list):
            stack.extend((item, key, section) for item in reversed(value))
        elif value is not None and str(value).strip():
            left -= 1
            text = str(value)
            # "replicas": 0 says something only together with its key.
            plain = isinstance(value, str) and label_section(_spaced(key), names) is not None
            shown = text if plain else f"{_spaced(key)} {text}"
            yield Line(_EMPHASIS.sub("", shown), section, opens=True)


def _spaced(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").replace("-", " ")
