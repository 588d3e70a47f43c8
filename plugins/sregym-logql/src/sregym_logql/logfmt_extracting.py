"""The parser `logfmt`: labels from lines of pairs.

Lines of a program have few forms: the same keys in the same order. A form that was met several
times becomes one regular expression that takes all values out of a line at once; other lines are
taken apart pair by pair.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_logql.extraction import (
    Extraction,
    ExtractionError,
    free_name,
    label_name,
)
from sregym_logql.json_lines import NO_TEXT
from sregym_logql.logfmt_lines import key_of, pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_logql.extraction import Bind
    from sregym_logql.nodes import Parser

# What pairs of a plain form are made of; escapes and bare keys are none of it.
_WORD = rf'[^\x00-\x20="{NO_TEXT}]'
_TEXT = rf'[^"\\{NO_TEXT}]'
_PAIR = re.compile(rf'({_WORD}+)=(?:(")({_TEXT}*)"|({_WORD}*))(?: (?=.)|\Z)', re.DOTALL)
# Lines of one stream that are looked at for their form, how often it must be met to be worth an
# expression, and how many are tried on each line.
_LOOKS, _OFTEN, _MOST = 64, 6, 4


class _Field(NamedTuple):
    """A key of a form: whether its value is quoted, and whether there is any."""

    key: str
    quoted: bool
    filled: bool


# The fields of a line in their order.
_Form: TypeAlias = tuple[_Field, ...]
_Match: TypeAlias = "Callable[[str], re.Match[str] | None]"


def logfmt(parser: Parser, wanted: frozenset[str] | None) -> Bind:
    """What `| logfmt` does; of the labels only `wanted` ones are needed, if any are named."""
    strict, keep_empty = "strict" in parser.flags, "keep-empty" in parser.flags
    if not parser.wanted:

        def whole(own: Mapping[str, str]) -> Extraction:
            lines = _Lines(own, wanted, strict=strict, keep_empty=keep_empty)
            return Extraction(lines.extract, lines.labels)

        return whole
    chosen = [(label, label_name(key_of(source))) for label, source in parser.wanted]
    sources = frozenset(source for _, source in chosen)

    def bind(own: Mapping[str, str]) -> Extraction:
        lines = _Lines({}, sources, strict=strict, keep_empty=keep_empty)
        targets = [(free_name(label, own), label in own, source) for label, source in chosen]

        def choose(labels: dict[str, str], line: str, _: int = 0) -> str:
            values: dict[str, str] = {}
            try:
                lines.extract(values, line)
            finally:
                for target, taken, source in targets:
                    value = values.get(source, "")
                    if value or not taken:
                        labels[target] = value
            return line

        return Extraction(choose)

    return bind


class _Lines:
    """All fields of lines of a stream."""

    def __init__(
        self,
        own: Mapping[str, str],
        wanted: frozenset[str] | None,
        *,
        strict: bool,
        keep_empty: bool,
    ) -> None:
        self._own, self._wanted = own, wanted
        self._strict, self._keep_empty = strict, keep_empty
        self._taken = frozenset(own)
        self._forms: list[tuple[_Match, dict[str, str]]] = []
        self._met: dict[_Form, int] = {}
        self._looks = _LOOKS

    def labels(self, line: str) -> dict[str, str] | None:
        """The labels of a line of a known form, those of the stream included, sorted."""
        for match, own in self._forms:
            found = match(line)
            if found is not None:
                return own | found.groupdict()
        return None

    def extract(self, labels: dict[str, str], line: str, _: int = 0) -> str:
        """Put the fields of a line into labels."""
        for match, _own in self._forms:
            found = match(line)
            if found is not None:
                labels.update(found.groupdict())
                return line
        if self._looks:
            self._learn(line)
        own, keep_empty = self._own, self._keep_empty
        if "\\" not in line and _put_words(line, labels, own, keep_empty):
            return line
        for key, value, wrong in pairs(line):
            if wrong:
                if self._strict:
                    raise ExtractionError("LogfmtParserErr", wrong)
                continue
            value = value.replace(NO_TEXT, " ")
            if value or keep_empty:
                labels[free_name(label_name(key), own)] = value
        return line

    def _learn(self, line: str) -> None:
        self._looks -= 1
        form = _form_of(line)
        if form is None:
            return
        times = self._met[form] = self._met.get(form, 0) + 1
        if times == _OFTEN and len(self._forms) < _MOST:
            known = _compiled(form, self._keep_empty, self._taken, self._wanted)
            if known is not None:
                match, names = known
                # Values of fields are put over these, in this order.
                own = {name: self._own.get(name, "") for name in sorted({*self._own, *names})}
                self._forms.append((match, own))


def _form_of(line: str) -> _Form | None:
    """The form of a line of plain pairs, a space between them; None of other lines."""
    fields: list[_Field] = []
    place = 0
    while place < len(line):
        found = _PAIR.match(line, place)
        if found is None:
            return None
        fields.append(_Field(found[1], bool(found[2]), bool(found[3] or found[4])))
        place = found.end()
    return tuple(fields) or None


@lru_cache(maxsize=512)
def _compiled(
    form: _Form, keep_empty: bool, own: frozenset[str], wanted: frozenset[str] | None
) -> tuple[_Match, tuple[str, ...]] | None:
    """The expression of a form, its groups named as labels; None when two would be one label."""
    written: list[str] = []
    names: list[str] = []
    for key, quoted, filled in form:
        value = f"{_TEXT if quoted else _WORD}+" if filled else ""
        if filled or keep_empty:
            name = f"{label}_extracted" if (label := label_name(key)) in own else label
            if wanted is None or name in wanted:
                names.append(name)
                value = f"(?P<{name}>{value})"
        value = f'"{value}"' if quoted else value
        written.append(f"{re.escape(key)}={value}")
    if len(set(names)) < len(names) or "" in names:
        return None
    return re.compile(" ".join(written)).fullmatch, tuple(names)


def _put_words(line: str, labels: dict[str, str], own: Mapping[str, str], keep_empty: bool) -> bool:
    """Put in the pairs of a line without escapes whose quotes enclose whole values.

    False for other lines; of these some pairs may be put in then.
    """
    if NO_TEXT in line or not line.isprintable():
        return False
    parts = line.split('"')
    last = len(parts) - 1
    if last % 2:
        return False
    for place in range(0, last + 1, 2):
        part = parts[place]
        words = part.split()
        quoted = ""
        if place < last:
            if part[-1:] != "=":
                return False
            quoted = words.pop()[:-1]
            if not quoted or "=" in quoted:
                return False
        for word in words:
            key, _, value = word.partition("=")
            if not key or "=" in value:
                return False
            if value or keep_empty:
                labels[free_name(label_name(key), own)] = value
        if quoted and (keep_empty or parts[place + 1]):
            labels[free_name(label_name(quoted), own)] = parts[place + 1]
    return True
