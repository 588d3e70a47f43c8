"""Which command lines read their input, and how they take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from sregym_cluster_embedded.userland.process import Process

_SHELLS = ("sh", "ash", "bash", "dash")
# Options with which a console carries out what they say instead of asking.
_TOLD = ("-c", "-e", "--eval", "--execute", "--command", "-f", "--file", "-x")
_READERS = (
    "cat", "tee", "wc", "sort", "uniq", "grep", "head", "tail", "sed", "awk", "cut", "tr", "xargs",
    "md5sum", "sha256sum", "base64", "nl", "rev", "od", "hexdump", "read",
)  # fmt: skip

_DEAF = (
    "ls", "ps", "env", "printenv", "date", "hostname", "id", "whoami", "df", "free", "echo", "pwd",
    "uname", "uptime", "wget", "nslookup", "dig", "ping", "ss", "netstat", "ip", "mount", "stat",
    "touch", "mkdir", "rm", "mv", "cp", "kill", "sleep", "true", "false", "which", "du", "find",
)  # fmt: skip


def command_name(command: Sequence[str]) -> str:
    """The name of the program without its folder; empty for no command."""
    return command[0].rpartition("/")[2] if command else ""


def is_shell(command: Sequence[str]) -> bool:
    """Whether a command line is a shell that reads its script from its input."""
    name = command_name(command)
    return name in _SHELLS and all(word.startswith("-") and word != "-c" for word in command[1:])


def is_console(command: Sequence[str], consoles: Container[str]) -> bool:
    """Whether a command line is the console of a datastore that waits for statements."""
    return command_name(command) in consoles and not any(
        word.partition("=")[0] in _TOLD for word in command[1:]
    )


def reads_input(command: Sequence[str], consoles: Container[str]) -> bool:
    """Whether a main process waits for its input before it ends."""
    if is_shell(command) or is_console(command, consoles):
        return True
    name = command_name(command)
    if name not in _READERS:
        return False
    operands = [word for word in command[1:] if not word.startswith("-") or word == "-"]
    # The first operand of these is what they do, not what they read.
    told = 1 if name in ("grep", "sed", "awk", "tr", "tee", "xargs", "read") else 0
    return name in ("tr", "tee", "xargs") or len(operands) <= told or "-" in operands


def waits_for_input(process: Process, consoles: Container[str]) -> bool:
    """Whether a main process reads an input that clients may attach to."""
    return bool(process.config.spec.get("stdin")) and reads_input(process.argv, consoles)


def never_reads(command: Sequence[str]) -> bool:
    """Whether a command certainly takes nothing from its input."""
    return command_name(command) in _DEAF
