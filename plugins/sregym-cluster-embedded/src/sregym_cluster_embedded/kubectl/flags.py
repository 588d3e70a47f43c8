"""Command lines in the manner of kubectl: `-n shop`, `--namespace=shop`, `-nshop`, `-A`.

Only flags that the twin honours are declared. Any other one that the binary knows raises
`NotCovered`; what the binary does not know either is refused in its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

Kind: TypeAlias = Literal["bool", "text", "list", "repeated"]

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)")
# Flags whose values the binary looks at before it does anything.
_NUMBERS = frozenset({
    "chunk-size", "current-replicas", "grace-period", "limit-bytes", "max", "max-log-requests",
    "min", "node-port", "port", "replicas", "revision", "tail", "to-revision", "value",
})  # fmt: skip
_DURATIONS = frozenset({"duration", "pod-running-timeout", "since", "timeout"})
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,8})")
_TRUTHS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


@dataclass(frozen=True)
class Flag:
    """A flag of a command.

    Attributes:
        name: Long name without dashes.
        short: One letter, or empty.
        kind: `list` splits at commas, `repeated` does not.
        bare: Value when the flag stands without one; None when it needs one.
    """

    name: str
    short: str = ""
    kind: Kind = "text"
    bare: str | None = None


def switch(name: str, short: str = "") -> Flag:
    """A flag that is on when it stands there."""
    return Flag(name, short, "bool", "true")


CONNECTION = (
    Flag("kubeconfig"), Flag("context"), Flag("cluster"), Flag("user"), Flag("server", "s"),
    Flag("token"), switch("insecure-skip-tls-verify"),
)  # fmt: skip
GLOBAL = (
    *CONNECTION,
    Flag("namespace", "n"),
    Flag("request-timeout"),
    Flag("cache-dir"),
    switch("warnings-as-errors"),
)
OUTPUT = (
    Flag("output", "o"),
    switch("show-managed-fields"),
    switch("allow-missing-template-keys"),
)
DRY_RUN = (Flag("dry-run", bare="unchanged"),)
SELECTION = (Flag("selector", "l"), switch("all"), Flag("field-selector"))
FILES = (Flag("filename", "f", "list"), Flag("kustomize", "k"), switch("recursive", "R"))
IGNORED = (Flag("field-manager"), Flag("chunk-size"), Flag("validate", bare="strict"))


@dataclass
class Arguments:
    """A parsed command line.

    Attributes:
        words: Positional arguments before `--`.
        after_dash: What stands behind `--`, None when there is none.
        given: Values of the flags that were given, in order.
        command: The command's full name.
    """

    words: list[str] = field(default_factory=list)
    after_dash: list[str] | None = None
    given: dict[str, list[str]] = field(default_factory=dict)
    command: str = ""

    @property
    def of_files(self) -> bool:
        """Whether the command is about what stands in files or in a kustomization."""
        return "filename" in self.given or "kustomize" in self.given

    def text(self, name: str, default: str = "") -> str:
        """The last value given for a flag."""
        values = self.given.get(name)
        return values[-1] if values else default

    def on(self, name: str, default: bool = False) -> bool:
        """Whether a switch is on."""
        values = self.given.get(name)
        return _TRUTHS[values[-1].lower()] if values else default

    def has(self, name: str) -> bool:
        """Whether a flag was given."""
        return name in self.given

    def all(self, name: str) -> list[str]:
        """All values of a flag that may be given several times."""
        return self.given.get(name, [])

    def number(self, name: str, default: int) -> int:
        """An integer flag."""
        value = self.text(name)
        if not value:
            return default
        if not re.fullmatch(r"[+-]?\d+", value):
            raise NotCovered(f"--{name}={value}")
        return int(value)

    def duration(self, name: str, default: float) -> float:
        """A duration flag, in seconds."""
        value = self.text(name)
        return default if not value else parse_duration(value)


def parse_duration(text: str) -> float:
    """Seconds of a Go duration: `1h30m`, `250ms`, `-5s`."""
    sign = -1.0 if text.startswith("-") else 1.0
    body = text.lstrip("+-")
    if body == "0":
        return 0.0
    parts = _DURATION.findall(body)
    if not parts or "".join(parts) != body:
        raise NotCovered(f"duration {text}")
    total = 0.0
    for part in parts:
        unit = part.lstrip("0123456789.")
        total += float(part[: -len(unit)]) * _UNITS[unit]
    return sign * total


def parse(argv: Sequence[str], flags: Sequence[Flag], command: str = "") -> Arguments:
    """Parse the words behind a command's name.

    Raises:
        NotCovered: A flag is not among `flags`, but the binary knows it.
        CommandError: A flag is unknown, misses its value, or has one that it cannot have.
    """
    by_name = {flag.name: flag for flag in flags}
    by_short = {flag.short: flag for flag in flags if flag.short}
    result = Arguments(command=command)
    words = iter(argv)
    for word in words:
        if word == "--":
            result.after_dash = list(words)
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            flag = by_name.get(name)
            if flag is None:
                raise _usage().unknown_flag(command, name if name else word[2:])
            _set(result, flag, value if equals else _next(result, flag, words))
        elif word.startswith("-") and len(word) > 1:
            _parse_short(result, word[1:], by_short, words)
        else:
            result.words.append(word)
    return result


def _parse_short(
    result: Arguments, letters: str, by_short: Mapping[str, Flag], words: Iterator[str]
) -> None:
    while letters:
        flag = by_short.get(letters[0])
        if flag is None:
            raise _usage().unknown_flag(result.command, letters[0], letters)
        rest = letters[1:]
        if rest.startswith("="):
            _set(result, flag, rest[1:])
            return
        if flag.bare is not None:
            _set(result, flag, flag.bare)
        elif rest:
            _set(result, flag, rest)
            return
        else:
            _set(result, flag, _next(result, flag, words, letters))
        letters = rest


def _usage() -> ModuleType:
    """What is said about wrong command lines; imported when one is met."""
    return import_module("sregym_cluster_embedded.kubectl.usage")


def _next(result: Arguments, flag: Flag, words: Iterator[str], letters: str = "") -> str:
    if flag.bare is not None:
        return flag.bare
    value = next(words, None)
    if value is None:
        raise _usage().missing_value(result.command, flag.name, letters)
    return value


def _set(result: Arguments, flag: Flag, value: str) -> None:
    if flag.kind == "bool":
        right = value.lower() in _TRUTHS
    elif flag.name in _NUMBERS:
        right = _NUMBER.fullmatch(value) is not None
    else:
        right = flag.name not in _DURATIONS or _is_duration(value)
    if not right:
        problem: CommandError | None = _usage().flag_value_error(result.command, flag.name, value)
        if problem is not None:
            raise problem
    values = value.split(",") if flag.kind == "list" else [value]
    result.given.setdefault(flag.name, []).extend(values)


def _is_duration(text: str) -> bool:
    try:
        parse_duration(text)
    except NotCovered:
        return False
    return True
