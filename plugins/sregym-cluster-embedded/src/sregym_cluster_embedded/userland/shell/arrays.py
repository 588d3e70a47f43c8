"""Arrays of bash.

Their elements stand among the variables, under names like `list[0]`, and are never exported;
`list[]` says that there is an array, and of which kind. What keeps variables keeps arrays, therefore.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.shell.assigning import assign
from sregym_cluster_embedded.userland.shell.lexing import Word, tokens_of
from sregym_cluster_embedded.userland.shell.syntax import assignment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.userland.shell.expansion import Expansion
    from sregym_cluster_embedded.userland.shell.session import Session

_TARGET = re.compile(r"(\w+)(?:\[(.*)\])?(\+?)", re.DOTALL)
# Kinds of arrays, as `declare` has them: by names, and by index.
_BY_NAME, _BY_INDEX = "A", "a"
# What an element takes beside its text.
_ELEMENT_BYTES = 300
_INDEXED = re.compile(r"\[(.*?)\]=(.*)", re.DOTALL)


def elements(session: Session, name: str) -> dict[str, str]:
    """The elements of an array by index, in their order; a plain variable is its own first one."""
    start = f"{name}["
    spend(len(session.environment))
    found = {
        key[len(start) : -1]: value
        for key, value in session.environment.items()
        if key.startswith(start) and key != f"{name}[]"
    }
    if not found and name in session.environment:
        return {"0": session.environment[name]}
    if not by_name(session, name):
        # What came with the environment may have a name like that of an element.
        places = [index for index in found if index.removeprefix("-").isdecimal()]
        return {index: found[index] for index in sorted(places, key=int)}
    return found


def by_name(session: Session, name: str) -> bool:
    """Whether an array has names for indexes."""
    return session.environment.get(f"{name}[]") == _BY_NAME


def make_by_name(session: Session, name: str) -> None:
    """Let an array have names for indexes."""
    session.environment[f"{name}[]"] = _BY_NAME
    session.unexported.add(f"{name}[]")


def is_array(session: Session, name: str) -> bool:
    """Whether a name is that of an array."""
    return f"{name}[]" in session.environment


def clear(session: Session, name: str) -> None:
    """Take an array away; that it has names for indexes stays."""
    for index in elements(session, name):
        session.environment.pop(f"{name}[{index}]", None)
    session.environment.pop(name, None)


def forget(session: Session, names: Iterable[str]) -> None:
    """Take away the elements of what was local."""
    for name in names:
        remove(session, name)


def remove(session: Session, name: str) -> dict[str, str]:
    """Take an array away, and that it was one; what has gone, by variable."""
    if not is_array(session, name):
        return {}
    spend(len(session.environment))
    start = f"{name}["
    return {
        key: session.environment.pop(key)
        for key in [key for key in session.environment if key.startswith(start)]
    }


def fill(session: Session, name: str, values: Iterable[str]) -> None:
    """Let an array have these elements and no others."""
    clear(session, name)
    _begin(session, name)
    for index, value in enumerate(values):
        set_element(session, f"{name}[{index}]", value)


def set_element(session: Session, key: str, value: str) -> None:
    """Set an element by the name under which it stands."""
    allocate(_ELEMENT_BYTES + len(value))
    _begin(session, key.partition("[")[0])
    session.environment[key] = value
    session.unexported.add(key)


def _begin(session: Session, name: str) -> None:
    """Let there be an array; one that is there keeps its kind."""
    if f"{name}[]" not in session.environment:
        session.environment[f"{name}[]"] = _BY_INDEX
        session.unexported.add(f"{name}[]")


def key_of(expansion: Expansion, name: str, index: str) -> str:
    """Under which name an element stands, its index as it was written."""
    session = expansion.session
    if by_name(session, name):
        return f"{name}[{expansion.unquoted(index)}]"
    number = expansion.number(index)
    if number < 0:
        known = list(elements(session, name))
        number += int(known[-1]) + 1 if known else 0
    return f"{name}[{number}]"


def assign_element(
    expansion: Expansion, target: str, word: Word, listed: Callable[[list[Word]], list[str]]
) -> None:
    """Carry out an assignment.

    Args:
        expansion: Expands what is assigned.
        target: The name, perhaps with an index, and with `+` at its end to append.
        word: What is assigned; one with a piece of the kind `array` stands for a whole array.
        listed: Makes words into the words of a command.
    """
    session = expansion.session
    match = _TARGET.fullmatch(target)
    assert match is not None
    name, index, more = match[1], match[2], match[3]
    inner = next((text for text, how in word.pieces if how == "array"), None)
    if inner is not None:
        _put_all(expansion, name, inner, listed, append=bool(more))
        return
    value = expansion.joined(word)
    array = is_array(session, name)
    if index is None and array:
        index = "0"
    if index is None:
        before = session.environment.get(name, "") if more else ""
        if f"{name}[int]" in session.readonly:
            before, value = "", str(expansion.number(before or "0") + expansion.number(value))
        assign(session, name, before + value)
        return
    if not array and name in session.environment:
        set_element(session, f"{name}[0]", session.environment.pop(name))
    key = key_of(expansion, name, index)
    set_element(session, key, (session.environment.get(key, "") if more else "") + value)


def _put_all(
    expansion: Expansion,
    name: str,
    inner: str,
    listed: Callable[[list[Word]], list[str]],
    *,
    append: bool,
) -> None:
    session = expansion.session
    tokens = [token for token in tokens_of(inner, bash=True)[0] if isinstance(token, Word)]
    if not append:
        clear(session, name)
    _begin(session, name)
    known = [int(index) for index in elements(session, name) if index.isdecimal()]
    place = max(known) + 1 if known else 0
    for token in tokens:
        found = _INDEXED.fullmatch(_shape(token))
        if found is not None:
            target = assignment(
                Word((("x" + token.pieces[0][0], "plain"), *token.pieces[1:])), bash=True
            )
            if target is not None:
                key = key_of(expansion, name, target[0][2:-1])
                set_element(session, key, expansion.joined(target[1]))
                index = key[len(name) + 1 : -1]
                place = int(index) + 1 if index.isdecimal() else place
            continue
        for value in listed([token]):
            set_element(session, f"{name}[{place}]", value)
            place += 1


def _shape(token: Word) -> str:
    """A word's text when it begins without quotes; empty otherwise."""
    if not token.pieces or token.pieces[0][1] != "plain":
        return ""
    return "".join(text for text, _ in token.pieces)
