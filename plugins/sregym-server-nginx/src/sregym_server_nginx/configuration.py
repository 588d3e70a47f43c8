"""A configuration of nginx as it is read: directives in blocks, checked one after the other."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import globs

from sregym_server_nginx.directives import (
    DIRECTIVES,
    FREE,
    INSIDE,
    ONCE,
    UPSTREAM_SERVER,
    Known,
    misgiven,
)
from sregym_server_nginx.tokens import ConfigurationError, Statement, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.servers import FileView

PREFIX = "/etc/nginx"
MAIN_FILE = f"{PREFIX}/nginx.conf"


class Directive(NamedTuple):
    """One directive.

    Attributes:
        name: First word.
        words: The others.
        block: What stands in its braces.
        file: Where it stands.
        line: The line of the character that ends it.
    """

    name: str
    words: tuple[str, ...]
    block: tuple[Directive, ...]
    file: str
    line: int

    def all(self, name: str) -> list[Directive]:
        """The directives of a name in its block."""
        return [entry for entry in self.block if entry.name == name]

    def first(self, name: str) -> Directive | None:
        """The first directive of a name in its block."""
        return next((entry for entry in self.block if entry.name == name), None)

    @property
    def place(self) -> str:
        """File and line, as errors name them."""
        return f"{self.file}:{self.line}"


def read(files: FileView, path: str = MAIN_FILE) -> Directive:
    """Read a configuration with all that it includes; what comes back has it as its block.

    Raises:
        ConfigurationError: With nginx's words.
    """
    text = files.read(path)
    if text is None:
        raise ConfigurationError(f'open() "{path}" failed (2: No such file or directory)')
    return Directive("main", (), _Reader(files).file(path, text, "m"), path, 0)


def sources(files: FileView, path: str = MAIN_FILE) -> list[str]:
    """The files that a configuration consists of, in the order in which they are read."""
    seen: dict[str, None] = {path: None}

    def walk(directive: Directive) -> None:
        seen.setdefault(directive.file)
        for entry in directive.block:
            walk(entry)

    walk(read(files, path))
    return list(seen)


class _Reader:
    def __init__(self, files: FileView) -> None:
        self._files = files

    def file(self, path: str, text: str, context: str) -> tuple[Directive, ...]:
        """All directives of one file."""
        rest = statements(text, path)
        return tuple(self._block(rest, path, context, inner=False))

    def _block(
        self, rest: Iterator[Statement], file: str, context: str, *, inner: bool
    ) -> Iterator[Directive]:
        """The directives up to the brace that ends a block, or to the end of the file."""
        seen: set[str] = set()
        for words, end, line in rest:
            if end == "":
                self._end(words, file, line, inner=inner)
                return
            if end == "}":
                if not inner:
                    raise ConfigurationError(f'unexpected "}}" in {file}:{line}')
                return
            if words[0] == "include" and end == ";" and len(words) == 2:
                yield from self._included(words[1], file, line, context)
                continue
            found = self._directive(rest, words, end, Directive(words[0], words[1:], (), file, line), context)  # fmt: skip
            known = DIRECTIVES.get(found.name)
            if found.name in seen and known is not None and (known.flag or found.name in ONCE):
                raise ConfigurationError(f'"{found.name}" directive is duplicate in {found.place}')
            seen.add(found.name)
            yield found

    def _end(self, words: tuple[str, ...], file: str, line: int, *, inner: bool) -> None:
        if words:
            missing = 'unexpected end of file, expecting ";" or "}"'
            raise ConfigurationError(f"{missing} in {file}:{line}")
        if inner:
            raise ConfigurationError(f'unexpected end of file, expecting "}}" in {file}:{line}')

    def _directive(
        self,
        rest: Iterator[Statement],
        words: tuple[str, ...],
        end: str,
        found: Directive,
        context: str,
    ) -> Directive:
        known = _known(found, context)
        if not known.block:
            if end == "{":
                text = f'directive "{found.name}" is not terminated by ";" in {found.place}'
                raise ConfigurationError(text)
            _count(found, known)
            wrong = misgiven(found.name, found.words)
            if wrong:
                raise ConfigurationError(f"{wrong} in {found.place}")
            return found
        if end != "{":
            raise ConfigurationError(
                f'directive "{found.name}" has no opening "{{" in {found.place}'
            )
        _count(found, known)
        if found.name in FREE:
            return found._replace(block=tuple(_entries(rest, found.file)))
        inside = INSIDE.get(found.name, "i" if context == "l" else "f")
        return found._replace(block=tuple(self._block(rest, found.file, inside, inner=True)))

    def _included(self, pattern: str, file: str, line: int, context: str) -> Iterator[Directive]:
        path = posixpath.join(PREFIX, pattern)
        if not any(char in pattern for char in "*?["):
            text = self._files.read(path)
            if text is None:
                missing = f'open() "{path}" failed (2: No such file or directory)'
                raise ConfigurationError(f"{missing} in {file}:{line}")
            yield from self.file(path, text, context)
            return
        folder, _, name = path.rpartition("/")
        for entry in self._files.listing(folder) or ():
            text = self._files.read(f"{folder}/{entry}")
            if globs.matches(entry, name) and text is not None and not entry.startswith("."):
                yield from self.file(f"{folder}/{entry}", text, context)


def _known(found: Directive, context: str) -> Known:
    known = DIRECTIVES.get(found.name)
    if found.name == "server" and context == "u":
        return UPSTREAM_SERVER
    if known is None:
        raise ConfigurationError(f'unknown directive "{found.name}" in {found.place}')
    if context not in known.contexts:
        raise ConfigurationError(f'"{found.name}" directive is not allowed here in {found.place}')
    return known


def _count(found: Directive, known: Known) -> None:
    given = len(found.words)
    if given < known.fewest or (known.most is not None and given > known.most):
        text = f'invalid number of arguments in "{found.name}" directive in {found.place}'
        raise ConfigurationError(text)
    if known.flag and found.words[0].lower() not in ("on", "off"):
        text = f'invalid value "{found.words[0]}" in "{found.name}" directive, it must be "on" or "off"'
        raise ConfigurationError(f"{text} in {found.place}")


def _entries(rest: Iterator[Statement], file: str) -> Iterator[Directive]:
    """What stands in a block of values."""
    for words, end, line in rest:
        if end in ("}", ""):
            return
        yield Directive(words[0], words[1:], (), file, line)
