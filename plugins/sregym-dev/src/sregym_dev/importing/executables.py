"""Which executables of an image a container runs, and which it takes for granted as tools."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Vocabulary

    from sregym_dev.importing.container_inputs import Part

_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh"})
_BUILT_IN = (
    "until while for do done if then else elif fi case esac in function return break continue cd "
    "export set unset exec eval echo printf test [ [[ true false trap wait read shift local exit "
    ": . source sleep ! { } command ulimit umask"
)
_WORDS_OF_SHELLS = frozenset(_BUILT_IN.split())
# Stand before the command that counts.
_PREFIXES = "until while if then do else elif exec ! { ( time command nohup env"
_BEFORE = frozenset(_PREFIXES.split())
_SEPARATORS = re.compile(r"&&|\|\||[;|\n&]|\$\(|`")
_COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_SOURCED = re.compile(r"(?:^|[\n;&]|\s&&)\s*(?:\.|source)\s+(/[\w./-]+)")
_EXECUTABLE = re.compile(r"^[A-Za-z0-9_./+-]*[A-Za-z0-9_+-]$")
# Sets of commands that the images of an imported application have.
TOOLS = ("debian", "busybox")
# What stands in an image for an executable of a probe of which it is unknown what it does.
SUCCEEDS = "#!/bin/sh\nexit 0\n"
_PATHS = "/usr/local/bin"


@dataclass(frozen=True)
class Executables:
    """What a container runs.

    Attributes:
        paths: Executables that are no tools, as absolute paths; the first is what it becomes.
        own: Whether it is the image's own entry point, which no file names.
        tools: Commands besides the usual ones that its scripts and probes need.
        unknown: Executables of probes and hooks of which it is unknown what they do.
        sourced: Files of the image that its scripts read commands from.
    """

    paths: tuple[str, ...]
    own: bool
    tools: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    sourced: tuple[str, ...] = ()


def with_commands_as_arguments(parts: Iterable[Part]) -> frozenset[str]:
    """Images whose arguments are whole command lines: those of their containers begin differently."""
    begins: dict[str, set[str]] = {}
    for part in parts:
        if not part.command and (args := _args(part)):
            begins.setdefault(part.image, set()).add(args[0])
    return frozenset(
        image
        for image, words in begins.items()
        if len(words) > 1 and all(_EXECUTABLE.match(w) and w[0] != "-" for w in words)
    )


def executables_of(
    part: Part, vocabulary: Vocabulary | None, bare: frozenset[str] = frozenset()
) -> Executables:
    """What a container runs, by its command line, and by the scripts and probes it has.

    Args:
        part: The container.
        vocabulary: Which commands containers have.
        bare: Images whose arguments are whole command lines.
    """
    known = set(vocabulary.commands) if vocabulary else set()
    sets = vocabulary.tool_sets if vocabulary else {}
    usual = {word for name in TOOLS for word in sets.get(name, ())}
    line = part.command
    if not line and part.image in bare:
        line = _args(part)[:1]
    own = not line
    rest = _args(part) if line == part.command else _args(part)[1:]
    words = [] if own else _words_of(line + rest, part)
    probed = [word for line in probed_by(part) for word in line]
    paths = tuple(dict.fromkeys(path_of(w, part) for w in words if not _is_tool(w, known)))
    used = {word.rpartition("/")[2] for word in (*words, *probed)}
    tools = tuple(sorted(word for word in used if word in known - usual - _WORDS_OF_SHELLS))
    unknown = tuple(
        path
        for path in dict.fromkeys(path_of(w, part) for w in probed if not _is_tool(w, known))
        if path not in paths
    )
    texts = "\n".join((*part.words, *part.files.values()))
    sourced = tuple(
        path for path in dict.fromkeys(_SOURCED.findall(texts)) if path not in part.files
    )
    return Executables(paths, own, tools, unknown, sourced)


def _args(part: Part) -> list[str]:
    return [str(word) for word in part.container.get("args") or ()]


def _is_tool(word: str, known: set[str]) -> bool:
    bare = word.rpartition("/")[2]
    return bare in _SHELLS or bare in _WORDS_OF_SHELLS or bare in known


def path_of(word: str, part: Part) -> str:
    """The absolute path by which a container finds an executable."""
    if word.startswith("/"):
        return word
    if "/" in word:
        return posixpath.normpath(posixpath.join(str(part.container.get("workingDir", "/")), word))
    return posixpath.join(_PATHS, word)


def _words_of(line: list[str], part: Part) -> list[str]:
    """The executables of a command line; those of a script where it is a shell's."""
    first = line[0].rpartition("/")[2] if line else ""
    if first in _SHELLS:
        rest = [word for word in line[1:] if not word.startswith(("-", "+"))]
        if any(word.startswith("-") and "c" in word for word in line[1:]):
            return _of_script(rest[0]) if rest else []
        return _of_script(part.files.get(rest[0], "")) if rest else []
    if line and line[0] in part.files:
        return _of_script(part.files[line[0]])
    return line[:1]


def _of_script(text: str) -> list[str]:
    """The commands of a shell script, in order."""
    found: dict[str, None] = {}
    for piece in _SEPARATORS.split(_COMMENT.sub("", text.replace("\\\n", " "))):
        words = piece.strip().lstrip("({").split()
        while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0])):
            words = words[1:]
        if words and words[0] not in ("for", "case", "function") and _EXECUTABLE.match(words[0]):
            found.setdefault(words[0], None)
    return list(found)


def probed_by(part: Part, probe: str = "") -> list[list[str]]:
    """The executables of each command that the kubelet runs in a container.

    Args:
        part: The container.
        probe: The field of one of its probes; all probes and hooks unless given.
    """
    hooks = (part.container.get("lifecycle") or {}).values()
    actions = [part.container.get(probe) or {}] if probe else [*part.probes(), *hooks]
    lines = [(one.get("exec") or {}).get("command") for one in actions]
    return [_words_of([str(word) for word in line], part) for line in lines if line]
