"""What is wrong with a query, with the texts of the parser that yacc makes of the grammar.

Such a parser stops at a word that no rule allows there, having finished all that it could finish
without looking at it, and lists what it could have gone on with when that is at most four things.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_logql.grammar import KEYWORDS, RULES, TERMINALS

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_EXPECTED = 4
_ROOT = "root"


class Rule(NamedTuple):
    """One way to make something."""

    makes: str
    parts: tuple[str, ...]


# A rule and how many of its parts have been read.
Item: TypeAlias = tuple[Rule, int]
State: TypeAlias = tuple[Item, ...]


def refusal(kinds: Sequence[str]) -> tuple[int, str] | None:
    """Which of the words the grammar does not allow, and the message; None when it allows all.

    Args:
        kinds: Terminals, the last one `$end`.
    """
    stack: list[State] = [_closed(((Rule(_ROOT, ("expr", "$end")), 0),))]
    position = 0
    while True:
        kind = kinds[position]
        state = stack[-1]
        following = _after(state, kind)
        if following is not None:
            if kind == "$end":
                return None
            stack.append(following)
            position += 1
            continue
        finished = _finished(state, kind)
        if finished is None:
            return position, _message(state, kind)
        if finished.parts:
            del stack[-len(finished.parts) :]
        made = _after(stack[-1], finished.makes)
        assert made is not None, "what is finished was begun"
        stack.append(made)


def shown(kind: str) -> str:
    """What a message calls a terminal."""
    return _SHOWN.get(kind, kind)


def _message(state: State, kind: str) -> str:
    expected = [name for name in TERMINALS if _after(state, name) is not None]
    text = f"syntax error: unexpected {shown(kind)}"
    if 0 < len(expected) <= _MOST_EXPECTED:
        text += f", expecting {' or '.join(shown(name) for name in expected)}"
    return text


@lru_cache(maxsize=4096)
def _closed(items: State) -> State:
    """The items and all that may begin at them."""
    found = dict.fromkeys(items)
    waiting = list(items)
    while waiting:
        rule, read = waiting.pop()
        if read == len(rule.parts):
            continue
        for made in _rules(rule.parts[read]):
            if (made, 0) not in found:
                found[(made, 0)] = None
                waiting.append((made, 0))
    return tuple(found)


@lru_cache(maxsize=128)
def _rules(name: str) -> tuple[Rule, ...]:
    return tuple(Rule(name, tuple(parts.split())) for parts in RULES.get(name, ()))


@lru_cache(maxsize=16384)
def _after(state: State, name: str) -> State | None:
    moved = tuple(
        (rule, read + 1) for rule, read in state if rule.parts[read : read + 1] == (name,)
    )
    return _closed(moved) if moved else None


@lru_cache(maxsize=4096)
def _finished(state: State, kind: str) -> Rule | None:
    """The rule that is complete here; of several the one that `kind` may follow."""
    complete = [rule for rule, read in state if read == len(rule.parts)]
    if len(complete) > 1:
        fitting = [rule for rule in complete if kind in _follow(rule.makes)]
        complete = fitting or complete
    return complete[0] if complete else None


@lru_cache(maxsize=128)
def _follow(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """What may stand behind something."""
    found: set[str] = {"$end"} if name == "expr" else set()
    for makes in RULES:
        for rule in _rules(makes):
            for position, part in enumerate(rule.parts):
                if part != name:
                    continue
                rest = rule.parts[position + 1 :]
                found.update(_first(rest[0]) if rest else ())
                if not rest and makes not in seen and makes != name:
                    found.update(_follow(makes, seen | {name}))
    return frozenset(found)


@lru_cache(maxsize=128)
def _first(name: str) -> frozenset[str]:
    """What something may begin with."""
    if name not in RULES:
        return frozenset((name,))
    state = _closed(tuple((rule, 0) for rule in _rules(name)))
    begins = {rule.parts[0] for rule, read in state if rule.parts and read == 0}
    return frozenset(part for part in begins if part not in RULES)


_SHOWN = {kind: text for text, kind in KEYWORDS.items()}
