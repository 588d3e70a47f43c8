"""Which commands of a script read the input, and which of them pass it on as it comes."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.invocation import SHELLS, invocation

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

# Commands whose own commands this shell runs: these write, as those of functions do.
READ_IN = (".", "source", "eval")
# Commands that read standard input to its end when no file is named -> letters that take a value.
_FILTERS = {
    **dict.fromkeys(("cat", "wc", "rev", "tac", "md5sum", "sha256sum", "sha1sum", "sha512sum"), ""),
    **dict.fromkeys(("gzip", "gunzip", "zcat", "cksum", "cmp"), ""),
    **dict.fromkeys(("grep", "egrep", "fgrep"), "efmABCdD"), **dict.fromkeys(("awk", "mawk"), "fFvW"),
    "head": "cn", "tail": "cns", "sort": "koStT", "cut": "bcdfFO", "uniq": "fsw", "sed": "efl",
    "base64": "w", "fold": "w", "nl": "bdfhilnpsvw", "od": "AjNtSw", "hexdump": "nse",
    "xxd": "clsog", "join": "12aetjov", "paste": "d", "column": "csN", "split": "abln",
}  # fmt: skip
# Those whose first operand is what they do, and the letters that say it instead.
_TOLD = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "sed"), "ef"), **dict.fromkeys(("awk", "mawk"), "f"),
}  # fmt: skip
# What is named are no files that they read.
_ALWAYS = ("tee", "tr", "xargs", "nc")
_WRAPPERS = ("timeout", "env", "nice", "nohup", "time", "command", "stdbuf", "exec")
# They write what they have read at once, or when a line is complete.
_UNBUFFERED = ("cat", "tee")
# They write when much has come together, unless they are told otherwise or write to a terminal.
_LINEWISE = ("grep", "egrep", "fgrep", "sed", "awk", "mawk", "tr", "cut", "rev", "nl", "fold")


def reads(words: Sequence[str], consoles: Container[str]) -> bool:
    """Whether a command reads its standard input; consoles of servers do."""
    words = _bare(words)
    if not words:
        return False
    name = words[0].rpartition("/")[2]
    if name in SHELLS:
        asked = invocation(list(words))
        return _any_reads(asked.command, consoles) if asked.command is not None else not asked.file
    if name in consoles or name in _ALWAYS:
        return True
    if name == "dd":
        return not any(word.startswith("if=") for word in words)
    if name == "tar":
        return "-" in words or not any("f" in word for word in words[1:2])
    if name not in _FILTERS:
        return False
    letters, operands = _taken_apart(words, _FILTERS[name])
    if name in _TOLD and not set(_TOLD[name]) & set(letters):
        operands = operands[1:]
    if name.endswith("grep") and {"r", "R"} & set(letters):
        return False
    return not operands or "-" in operands


def passes_on(words: Sequence[str], *, terminal: bool) -> bool:
    """Whether a command writes what it makes of each line before it has read the next ones.

    Args:
        words: Its command line.
        terminal: Whether it writes to a terminal.
    """
    linewise = terminal or _unbuffered_by(words)
    words = _bare(words)
    name = words[0].rpartition("/")[2] if words else ""
    if name in _UNBUFFERED:
        return True
    if name == "xargs":
        return any(re.match(r"-(n|L|I|l|i)", word) for word in words[1:])
    if name not in _LINEWISE:
        return False
    letters, operands = _taken_apart(words, _FILTERS.get(name, ""))
    if name.endswith("grep"):
        linewise = linewise or "--line-buffered" in words
        return linewise and not set("cqlL") & set(letters)
    if name == "sed":
        linewise = linewise or bool({"u", "l"} & set(letters)) or "--unbuffered" in words
        return linewise and not any("$" in word for word in operands[:1])
    if name in ("awk", "mawk"):
        script = operands[0] if operands else ""
        return (linewise or "fflush" in script) and "END" not in script
    return linewise


def repeatable(words: Sequence[str]) -> bool:
    """Whether a command that passes on may be run again with more input: only the last run counts."""
    words = _bare(words)
    name = words[0].rpartition("/")[2] if words else ""
    if name == "tee":
        return not any("a" in word for word in words[1:] if word.startswith("-"))
    return name in _UNBUFFERED or name in _LINEWISE


def _bare(words: Sequence[str]) -> Sequence[str]:
    """A command line without the commands around it that only start another one."""
    while words and words[0].rpartition("/")[2] in _WRAPPERS:
        rest = list(words[1:])
        while rest and (rest[0].startswith("-") or re.fullmatch(r"[\d.]+[smhd]?|\w+=.*", rest[0])):
            rest.pop(0)
        words = rest
    return words


def _unbuffered_by(words: Sequence[str]) -> bool:
    return any(
        word.rpartition("/")[2] == "stdbuf" and any(each in ("-oL", "-o0") for each in words[at:])
        for at, word in enumerate(words)
    )


def _taken_apart(words: Sequence[str], valued: str) -> tuple[str, list[str]]:
    """Letters of options, and operands."""
    letters, operands, rest = "", [], list(words[1:])
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        if word.startswith("--"):
            letters += {"--expression": "e", "--regexp": "e", "--file": "f"}.get(
                word.partition("=")[0], ""
            )
            continue
        for place, letter in enumerate(word[1:], start=1):
            letters += letter
            if letter in valued:
                if not word[place + 1 :] and rest:
                    rest.pop(0)
                break
    return letters, operands


def _any_reads(script: str, consoles: Container[str]) -> bool:
    """Whether a command in a script reads, as far as its text tells."""
    try:
        words = shlex.split(re.sub(r"[;&|(){}\n]", " ; ", script))
    except ValueError:
        return True
    line: list[str] = []
    for word in [*words, ";"]:
        if word != ";":
            line.append(word)
            continue
        while line and line[0] in ("if", "then", "else", "do", "while", "until", "!", "elif"):
            line.pop(0)
        if line and (line[0] == "read" or reads(line, consoles)):
            return True
        line = []
    return False
