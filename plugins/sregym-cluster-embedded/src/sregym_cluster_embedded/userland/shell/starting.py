"""Commands that start others: xargs, timeout, time, env; and small ones that look for them."""

from __future__ import annotations

import posixpath
import re
import shlex

from sregym_regex.budget import OutOfStepsError, portion

from sregym_cluster_embedded.userland.files.inode import FILE
from sregym_cluster_embedded.userland.shell.control import Exit
from sregym_cluster_embedded.userland.shell.identity import IDENTITY_COMMANDS
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.pacing import FOR_EVER_S
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.toolsets import tool_paths

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def run(session: Session, words: list[str], stdin: str = "") -> Output:
    """Run another command."""
    return Output(127) if session.runner is None else session.runner(words, stdin)


def _timeout(session: Session, words: list[str], stdin: str) -> Output:
    """Busybox ends with 143 as the command does that it kills, GNU with 124."""
    index, hard = 1, False
    while index < len(words) and words[index].startswith("-"):
        if words[index] in ("-s", "-k", "--signal", "--kill-after"):
            hard = hard or words[index + 1 : index + 2] in (["KILL"], ["9"], ["SIGKILL"])
            index += 1
        hard = hard or words[index] in ("-sKILL", "-s9", "--signal=KILL")
        index += 1
    found = re.fullmatch(r"(\d*\.?\d+)([smhd]?)", words[index]) if index < len(words) else None
    if found is None:
        word = words[index] if index < len(words) else ""
        if session.busybox:
            return Output(1, "", f"timeout: invalid number '{word}'\n")
        text = (
            f"timeout: invalid time interval '{word}'\nTry 'timeout --help' for more information.\n"
        )
        return Output(125, "", text if word else "timeout: missing operand\n")
    limit_s = float(found.group(1)) * _UNITS[found.group(2)]
    command = words[index + 1 :]
    if not command:
        return Output(1 if session.busybox else 125, "", "timeout: missing operand\n")
    before, session.endless = session.slept_s, False
    worked_s = session.computed_s
    with portion():
        try:
            result = run(session, command, stdin)
        except Exit as stop:
            if stop.signal:
                raise
            result = Output(stop.code, stop.output.out, stop.output.err)
        except OutOfStepsError:
            session.slept_s, session.computed_s = before + FOR_EVER_S, worked_s + FOR_EVER_S
            session.endless, result = True, Output(137)
    if limit_s:
        session.endless = False
    if result.code == 127 and session.busybox:
        text = f"timeout: can't execute '{command[0]}': No such file or directory\n"
        return Output(127, "", text)
    if limit_s and session.slept_s - before > limit_s:
        share = limit_s / (session.slept_s - before)
        session.slept_s = before + limit_s
        session.computed_s = worked_s + (session.computed_s - worked_s) * share
        code = 137 if hard else 143 if session.busybox else 124
        # What was cut off had not been written yet, but for the beginning.
        return Output(code, result.out if result.code == 0 else "", "")
    return result


def _time(session: Session, words: list[str], stdin: str) -> Output:
    before = session.slept_s
    result = run(session, [word for word in words[1:] if word != "-p"], stdin)
    seconds = session.slept_s - before + 0.004
    minutes, rest = int(seconds // 60), seconds % 60
    if session.busybox:
        shown = f"real\t{minutes}m {rest:.2f}s\nuser\t0m 0.00s\nsys\t0m 0.00s\n"
    else:
        shown = f"\nreal\t{minutes}m{rest:.3f}s\nuser\t0m0.002s\nsys\t0m0.001s\n"
    return Output(result.code, result.out, result.err + shown)


def _env(session: Session, words: list[str], stdin: str) -> Output:
    index = 1
    given: dict[str, str] = {}
    taken: list[str] = []
    empty = False
    while index < len(words):
        word = words[index]
        if word in ("-i", "-", "--ignore-environment"):
            empty = True
        elif word == "-u" and index + 1 < len(words):
            index += 1
            taken.append(words[index])
        elif word.startswith(("-u", "--unset=")):
            taken.append(word.partition("=")[2] or word[2:])
        elif "=" in word:
            name, _, value = word.partition("=")
            given[name] = value
        elif not word.startswith("-"):
            break
        index += 1
    if index >= len(words):
        return IDENTITY_COMMANDS["printenv"](session, ["env", *words[1:]], stdin)
    kept, hidden = dict(session.environment), set(session.unexported)
    path = {"PATH": kept.get("PATH", "")}
    left = path if empty else {name: kept[name] for name in kept if name not in taken}
    session.environment = {**left, **given}
    # An empty environment has no PATH either: the usual one is searched then.
    session.unexported |= {"PATH"} if empty and "PATH" not in given else set()
    result = run(session, words[index:], stdin)
    session.environment, session.unexported = kept, hidden
    if result.code == 127:
        name = words[index]
        form = f"env: can't execute '{name}'" if session.busybox else f"env: '{name}'"
        return Output(127, "", f"{form}: No such file or directory\n")
    return result


def _xargs(session: Session, words: list[str], stdin: str) -> Output:
    index, flags = 1, {}
    while index < len(words) and words[index].startswith("-"):
        word = words[index]
        letter, value = word[1:2], word[2:]
        if letter in "nILPdsE" and not value and index + 1 < len(words):
            index += 1
            value = words[index]
        for each in word[1:] if letter not in "nILPdsE" else letter:
            flags[each] = value
        index += 1
    command = words[index:] or ["echo"]
    if wrong := _no_amount(session, flags):
        return Output(1, "", f"xargs: {wrong}\n")
    if "0" in flags:
        items = [item for item in stdin.split("\0") if item]
    elif "I" in flags:
        items = [line.strip() for line in stdin.splitlines() if line.strip()]
    elif "d" in flags:
        items = [item for item in stdin.rstrip("\n").split(flags["d"].replace("\\n", "\n")) if item]
    else:
        try:
            items = shlex.split(stdin)
        except ValueError:
            items = stdin.split()
    if not items and ("r" in flags or (not session.busybox and "r" in flags)):
        return Output()
    calls: list[list[str]] = []
    if "I" in flags:
        calls = [[part.replace(flags["I"], item) for part in command] for item in items]
    else:
        size = int(flags.get("n") or flags.get("L") or 0) or max(1, len(items))
        calls = [[*command, *items[at : at + size]] for at in range(0, max(1, len(items)), size)]
    out, err, code = "", "", 0
    for call in calls:
        result = run(session, call)
        out, err = out + result.out, err + result.err
        if result.code == 127:
            text = f"xargs: {call[0]}: No such file or directory\n"
            return Output(127, out, text)
        code = 123 if result.code else code
    return Output(code, out, err)


def _no_amount(session: Session, flags: dict[str, str]) -> str:
    """What is wrong with a number of words, lines or processes."""
    hint = "Try 'xargs --help' for more information."
    for letter in "nLP":
        value = flags.get(letter, "1")
        if re.fullmatch(r"-?\d+", value) is None:
            if session.busybox:
                return f"invalid number '{value}'"
            return f'invalid number "{value}" for -{letter} option\n{hint}'
        if int(value) < (letter != "P"):
            if session.busybox and value == "0":
                return "number 0 is not in 1..2147483647 range"
            if session.busybox:
                return f"invalid number '{value}'"
            return f"value {value} for -{letter} option should be >= 1\n{hint}"
    return ""


def _nohup(session: Session, words: list[str], stdin: str) -> Output:
    skip = 1
    while skip < len(words) and (words[skip].startswith("-") or words[skip].isdecimal()):
        skip += 1
    return run(session, words[skip:], stdin)


def _which(session: Session, words: list[str], _stdin: str) -> Output:
    image = session.image
    paths = {**tool_paths(image.tools), **image.binaries, **image.versions}

    def runs(path: str) -> bool:
        if path in paths:
            return True
        inode = session.files.stat(path)
        return inode is not None and inode.kind == FILE and session.rights.may(inode, 1)

    out, missing = "", False
    for word in [word for word in words[1:] if not word.startswith("-")]:
        if "/" in word:
            found = word if runs(session.path(word)) else None
        else:
            folders = session.environment.get("PATH", "").split(":")
            found = next((f"{f}/{word}" for f in folders if f and runs(f"{f}/{word}")), None)
        missing = missing or found is None
        out += f"{found}\n" if found else ""
    return Output(1 if missing else 0, out)


def _basename(_session: Session, words: list[str], _stdin: str) -> Output:
    operands = [word for word in words[1:] if not word.startswith("-")]
    if not operands:
        return Output(1, "", f"{words[0]}: missing operand\n")
    if words[0] == "dirname":
        return Output(
            0, "".join((posixpath.dirname(w.rstrip("/")) or ".") + "\n" for w in operands)
        )
    name = posixpath.basename(operands[0].rstrip("/")) or "/"
    if len(operands) > 1 and name != operands[1]:
        name = name.removesuffix(operands[1])
    return Output(0, name + "\n")


def _watch(session: Session, words: list[str], stdin: str) -> Output:
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] == "-n" else 1
    result = run(session, ["sh", "-c", " ".join(words[index:])], stdin)
    session.slept_s += 3600.0
    return result


def _yes(_session: Session, words: list[str], _stdin: str) -> Output:
    """As much as its reader may take: its end is not waited for."""
    return Output(0, (" ".join(words[1:]) or "y").join(["", "\n"]) * 4096)


def _no_terminal(session: Session, words: list[str], stdin: str) -> Output:
    """vi, less and more without a terminal: nothing is edited, files are shown as they are."""
    _, operands = options(words)
    if words[0] in ("less", "more"):
        return run(session, ["cat", *operands], stdin)
    return Output(
        1,
        "",
        "vi: can't read user input\n"
        if session.busybox
        else "Vim: Warning: Output is not to a terminal\n",
    )


def _true(_session: Session, _words: list[str], _stdin: str) -> Output:
    return Output()


def _false(_session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(1)


STARTING_COMMANDS: dict[str, Command] = {
    "basename": _basename,
    "dirname": _basename,
    "env": _env,
    "false": _false,
    "less": _no_terminal,
    "more": _no_terminal,
    "nice": _nohup,
    "nohup": _nohup,
    "stdbuf": _nohup,
    "time": _time,
    "timeout": _timeout,
    "true": _true,
    "vi": _no_terminal,
    "watch": _watch,
    "which": _which,
    "xargs": _xargs,
    "yes": _yes,
}
