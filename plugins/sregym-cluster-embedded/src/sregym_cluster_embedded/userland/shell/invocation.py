"""What a shell is asked to do by its command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.executables import NotExecutableError, find_executable
from sregym_cluster_embedded.userland.toolsets import tool_paths

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_LETTERS = "abcefhiklmnoprstuvxBCEHPT"
SHELLS = ("sh", "ash", "bash", "dash")


class Invocation(NamedTuple):
    """A command line of a shell, taken apart.

    Attributes:
        command: What stands behind `-c`; None without it.
        file: The script; empty when there is none.
        arguments: `$0`, `$1` ... of what is run.
        strict: Whether `-e` is among the options.
        lacks_command: Whether nothing stands behind `-c`.
        options: The letters of further options (`sh -x`).
        unknown: A letter that is none.
    """

    command: str | None = None
    file: str = ""
    arguments: tuple[str, ...] = ()
    strict: bool = False
    lacks_command: bool = False
    options: str = ""
    unknown: str = ""


def invocation(words: list[str]) -> Invocation:
    """Options end at the first word that is none: what follows belongs to the script."""
    strict = commanded = False
    at, letters = 1, ""
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
        word = words[at]
        at += 1
        if word == "--":
            break
        if word.startswith("--") or word.startswith("+"):
            continue
        letters += word[1:]
        strict = strict or "e" in word
        commanded = commanded or "c" in word
        if re.fullmatch(r"-\w*o", word):
            strict = strict or words[at : at + 1] == ["errexit"]
            at += 1
    rest = words[at:]
    unknown = next((letter for letter in letters if letter not in _LETTERS), "")
    if unknown:
        return Invocation(unknown=unknown)
    reads_input = "s" in letters
    letters = "".join(letter for letter in letters if letter not in "ceos")
    if rest[:1] == ["-"] and not commanded:
        rest = rest[1:]
        reads_input = True
    if commanded:
        if not rest:
            return Invocation(lacks_command=True)
        return Invocation(rest[0], "", tuple(rest[1:]) or (words[0],), strict, options=letters)
    if rest and not reads_input:
        return Invocation(None, rest[0], tuple(rest), strict, options=letters)
    return Invocation(None, "", (words[0], *rest), strict, options=letters)


def main_script(session: Session, argv: list[str]) -> tuple[Invocation, str | None]:
    """What a main process is asked to do, and the text of the script that it runs, if it runs one."""
    if argv[0].rpartition("/")[2] in SHELLS:
        asked = invocation(argv)
        if asked.command is not None or not asked.file:
            return asked, asked.command
        return asked, session.files.read(session.path(asked.file))
    image = session.image
    try:
        path = find_executable(
            argv[0], image, session.files, session.environment, session.working_dir
        )
    except NotExecutableError:
        return Invocation(), None
    if path in image.binaries or path in image.versions or path in tool_paths(image.tools):
        return Invocation(), None
    return Invocation(arguments=(path, *argv[1:])), session.files.read(path)


def shell_that_reads(argv: list[str], text: str) -> str:
    """Which shell runs the script of a main process: the one that is started, or that it names."""
    first = text.partition("\n")[0]
    words = [argv[0], *reversed(first[2:].split() if first.startswith("#!") else ())]
    names = [word.rpartition("/")[2] for word in words]
    return next((name for name in names if name in SHELLS), "sh")


def no_script(session: Session, shell: str, file: str) -> tuple[int, str, str]:
    """Code, output and errors of a shell that cannot open its script."""
    if session.busybox:
        return 2, "", f"{shell}: can't open '{file}': No such file or directory\n"
    if shell.endswith("bash"):
        return 127, "", f"{shell}: {file}: No such file or directory\n"
    return 2, "", f"{shell}: 0: cannot open {file}: No such file\n"
