"""Commands that only bash has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.inode import FOLDER
from sregym_cluster_embedded.userland.shell import arrays
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.session import Session

# Options of `shopt` that people set, and whether they are on from the start.
_SHOPT = {
    "dotglob": False, "expand_aliases": False, "extglob": False, "failglob": False,
    "globstar": False, "inherit_errexit": False, "lastpipe": False, "nocaseglob": False,
    "nocasematch": False, "nullglob": False, "sourcepath": True,
}  # fmt: skip
_STACK = "DIRSTACK"


def _mapfile(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    flags, names = options(["mapfile", *arguments], "dnOsuCc")
    text = stdin
    lines = text.split("\n")
    ended = lines.pop() == ""
    if not ended:
        lines.append(text.rpartition("\n")[2])
    skipped = int(flags.get("s", "0") or 0)
    most = int(flags.get("n", "0") or 0)
    lines = lines[skipped:][: most or None]
    if "t" not in flags:
        lines = [f"{line}\n" for line in lines[:-1]] + [
            f"{line}\n" if ended else line for line in lines[-1:]
        ]
    arrays.fill(shell.session, names[0] if names else "MAPFILE", lines)
    return Output()


def _stack(session: Session) -> list[str]:
    return session.environment.get(_STACK, "").split("\n") if _STACK in session.environment else []


def _keep_stack(session: Session, places: list[str]) -> None:
    session.unexported.add(_STACK)
    if places:
        session.environment[_STACK] = "\n".join(places)
    else:
        session.environment.pop(_STACK, None)


def _shown(session: Session) -> str:
    home = session.environment.get("HOME", "/root")
    places = [session.working_dir, *_stack(session)]
    short = [re.sub(rf"^{re.escape(home)}(?=/|$)", "~", place) for place in places]
    return " ".join(short) + "\n"


def _pushd(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session, places = shell.session, _stack(shell.session)
    if not arguments:
        if not places:
            return Output(1, "", f"{shell_name(session)}: pushd: no other directory\n")
        target, places = places[0], [session.working_dir, *places[1:]]
    else:
        target, places = arguments[0], [session.working_dir, *places]
    inode = session.files.stat(session.path(target))
    if inode is None or inode.kind != FOLDER:
        why = "No such file or directory" if inode is None else "Not a directory"
        return Output(1, "", f"{shell_name(session)}: pushd: {target}: {why}\n")
    session.working_dir = session.environment["PWD"] = session.path(target)
    _keep_stack(session, places)
    return Output(0, _shown(session))


def _popd(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    session, places = shell.session, _stack(shell.session)
    if not places:
        return Output(1, "", f"{shell_name(session)}: popd: directory stack empty\n")
    session.working_dir = session.environment["PWD"] = places[0]
    _keep_stack(session, places[1:])
    return Output(0, _shown(session))


def _dirs(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output(0, _shown(shell.session))


def _shopt(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    flags = "".join(word[1:] for word in arguments if word.startswith("-"))
    names = [word for word in arguments if not word.startswith("-")]
    code, out = 0, ""
    for name in names or sorted(_SHOPT):
        if name not in _SHOPT:
            said = f"{shell_name(session)}: shopt: {name}: invalid shell option name\n"
            return Output(1, out, said)
        if flags in ("s", "u") and names:
            session.options = session.options - {name} | ({name} if flags == "s" else set())
            continue
        on = name in session.options or (_SHOPT[name] and name not in session.options)
        code = code if on or not names else 1
        if "q" not in flags:
            out += f"{name:<15}\t{'on' if on else 'off'}\n"
    return Output(code, out)


def _history(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output()


BASH_COMMANDS = {
    "dirs": _dirs,
    "history": _history,
    "mapfile": _mapfile,
    "popd": _popd,
    "pushd": _pushd,
    "readarray": _mapfile,
    "shopt": _shopt,
}
