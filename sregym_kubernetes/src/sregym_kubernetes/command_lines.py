"""Kubectl command lines: read as a person types them, refused where they reach beyond the cluster.

Commands run on the machine of the harness. What would read or write its files, prompt on a
terminal or never end is refused before it runs; with a kubeconfig an agent's own kubectl can do it.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from sregym_core.interfaces import Command, CommandRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[ \t]*$")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_MARK = re.compile(r"[|;&<>]+")
# Flags that take a value in the next word, where the verb may not stand yet.
_VALUED = frozenset(
    [
        "-n",
        "--namespace",
        "--context",
        "--cluster",
        "--user",
        "-s",
        "--server",
        "--as",
        "--as-group",
        "--as-uid",
        "--token",
        "-v",
        "--v",
        "--request-timeout",
        "--kubeconfig",
        "--cache-dir",
        "--profile-output",
        "--certificate-authority",
        "--client-certificate",
        "--client-key",
        "--tls-server-name",
        "-l",
        "--selector",
        "-o",
        "--output",
        "-f",
        "--filename",
        "-k",
        "--kustomize",
        "-c",
        "--container",
        "--field-selector",
        "--type",
        "-p",
        "--patch",
    ]
)
_INTERACTIVE = ("edit", "attach", "proxy", "port-forward")
_FILES = ("cp", "plugin", "kustomize", "kuberc", "completion")
_FILE_FLAGS = frozenset(
    [
        "--from-file",
        "--from-env-file",
        "--kubeconfig",
        "--patch-file",
        "--cert",
        "--key",
        "--client-certificate",
        "--client-key",
        "--certificate-authority",
        "--profile",
        "--profile-output",
        "--cache-dir",
        "--kuberc",
        "--kustomize",
        "--output-directory",
    ]
)
# Without a value of their own, so that others may follow in the same word: -itf.
_BOOLEAN_LETTERS = "ARhitwqP"
_READS = frozenset(
    [
        "get",
        "describe",
        "logs",
        "events",
        "explain",
        "api-resources",
        "api-versions",
        "top",
        "diff",
        "version",
        "cluster-info",
        "wait",
    ]
)
# Verbs whose second word decides.
_READING_PAIRS = frozenset(
    {
        ("auth", "can-i"),
        ("auth", "whoami"),
        ("rollout", "status"),
        ("rollout", "history"),
        ("config", "view"),
        ("config", "current-context"),
        ("config", "get-contexts"),
    }
)
_NESTED = frozenset(["auth", "rollout", "config", "set", "create", "apply", "certificate"])


def parse(line: str, stdin: str = "") -> Command:
    """A command as typed, with the here-document that may follow it.

    Raises:
        CommandRefusedError: It needs a shell, or quotes are open.
    """
    line = line.strip()
    first, _, rest = line.partition("\n")
    here = _HERE_DOCUMENT.search(first)
    if here is not None:
        body, end = [], here.group(2)
        for text in rest.split("\n"):
            if text.strip() == end:
                break
            body.append(text)
        line, stdin = first[: here.start()], "\n".join(body) + "\n"
    mark = _shell_mark(line)
    if mark:
        msg = f"there is no shell behind this: {mark!r} cannot be used; run one kubectl command at a time"
        raise CommandRefusedError(msg)
    try:
        plain = shlex.split(line)
    except ValueError as error:
        raise CommandRefusedError(str(error)) from error
    if plain[:1] != ["kubectl"]:
        plain = ["kubectl", *plain]
    return Command(tuple(plain), stdin)


def _shell_mark(line: str) -> str:
    """The first word that only a shell understands, outside of quotes; empty when there is none."""
    bare = _QUOTED.sub("", line)
    found = _MARK.search(bare)
    return found.group() if found else ""


def check(command: Command) -> None:
    """Refuse what reaches beyond the cluster.

    Raises:
        CommandRefusedError: It would read or write files here, prompt, or never end.
    """
    verbs = verb(command)
    name = verbs[0] if verbs else ""
    if name in _INTERACTIVE:
        msg = f"kubectl {name} needs a terminal or stays open; use get, patch, apply -f -, exec or logs instead"
        raise CommandRefusedError(msg)
    if name in _FILES:
        msg = f"kubectl {name} works on files of the machine it runs on, and you have none there"
        raise CommandRefusedError(msg)
    for flag, value in _flags(command.argv[1:], name):
        if flag in ("-f", "--filename"):
            if name == "logs":
                msg = "logs -f never ends; leave -f out and ask again for what is new"
                raise CommandRefusedError(msg)
            if value != "-":
                msg = f"{flag} {value} is a file, and you have none on the machine where kubectl runs; give the manifest on standard input (-f -)"
                raise CommandRefusedError(msg)
        elif flag in _FILE_FLAGS and (name, flag) != ("debug", "--profile"):
            msg = f"{flag} names a file of the machine where kubectl runs, and you have none there"
            raise CommandRefusedError(msg)
        elif flag in ("-w", "--watch", "--watch-only", "--follow") and value != "false":
            msg = f"{flag} never ends; leave it out and ask again for what is new"
            raise CommandRefusedError(msg)
        elif flag in ("-o", "--output", "--template") and "-file" in value.partition("=")[0]:
            msg = f"{flag} {value} names a file of the machine where kubectl runs, and you have none there"
            raise CommandRefusedError(msg)


def verb(command: Command) -> tuple[str, ...]:
    """The verb, with its second word where that decides: `get`, `rollout status`."""
    found: list[str] = []
    words = iter(command.argv[1:])
    for word in words:
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            if word in _VALUED:
                next(words, None)
            continue
        found.append(word)
        if len(found) == 2 or found[0] not in _NESTED:
            break
    return tuple(found)


def reads_only(command: Command) -> bool:
    """Whether a command cannot change anything: `exec` can, for what it runs is not known."""
    verbs = verb(command)
    return verbs[:1] == () or verbs[0] in _READS or verbs[:2] in _READING_PAIRS


def _flags(words: tuple[str, ...], name: str) -> Iterator[tuple[str, str]]:
    """Flags with their values, up to `--`. A value in the next word is given for all of them."""
    for index, word in enumerate(words):
        if word == "--":
            return
        following = words[index + 1] if index + 1 < len(words) else ""
        if word.startswith("--"):
            flag, equals, value = word.partition("=")
            boolean = flag in ("--watch", "--watch-only", "--follow")
            yield flag, value if equals else ("" if boolean else following)
        elif word.startswith("-") and len(word) > 1:
            yield from _letters(word[1:], following, name)


def _letters(word: str, following: str, name: str) -> Iterator[tuple[str, str]]:
    for position, letter in enumerate(word):
        rest = word[position + 1 :].removeprefix("=")
        if letter in _BOOLEAN_LETTERS or (letter in "fp" and name == "logs"):
            yield f"-{letter}", rest if word[position + 1 : position + 2] == "=" else ""
            if word[position + 1 : position + 2] == "=":
                return
            continue
        yield ("--kustomize" if letter == "k" else f"-{letter}"), rest or following
        return
