"""Commands that change the shell itself."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.files.inode import FOLDER
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Output
from sregym_cluster_embedded.userland.shell.syntax import parse
from sregym_cluster_embedded.userland.shell.wording import not_opened, shell_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter

Builtin: TypeAlias = "Callable[[Interpreter, list[str], str], Output]"


def _cd(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    target = arguments[0] if arguments else session.environment.get("HOME", "/root")
    if target == "-":
        target = session.environment.get("OLDPWD", session.working_dir)
    path = posixpath.normpath(session.path(target))
    inode = session.files.stat(path)
    if inode is None or inode.kind != FOLDER or not session.rights.may(inode, 1):
        why = "No such file or directory"
        if inode is not None:
            why = "Not a directory" if inode.kind != FOLDER else "Permission denied"
        name = shell_name(session)
        if name.startswith("bash"):
            return Output(1, "", f"{name}: cd: {target}: {why}\n")
        tail = f": {why}" if session.busybox else ""
        return Output(2, "", f"{name}: cd: can't cd to {target}{tail}\n")
    session.environment["OLDPWD"] = session.working_dir
    session.working_dir = session.environment["PWD"] = path
    return Output()


def _export(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    names = [word for word in arguments if not word.startswith("-")]
    if not names:
        shown = (
            f"export {name}='{value}'\n"
            for name, value in sorted(session.environment.items())
            if name not in session.unexported
        )
        return Output(0, "".join(shown))
    for word in names:
        name, equals, value = word.partition("=")
        if equals:
            session.environment[name] = value
        session.unexported.discard(name)
    return Output()


def _local(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for word in arguments:
        name, equals, value = word.partition("=")
        if equals:
            shell.session.environment[name] = value
            shell.session.unexported.add(name)
    return Output()


def _unset(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for name in arguments:
        shell.session.environment.pop(name, None)
        shell.session.functions.pop(name, None)
    return Output()


def _set(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session, index = shell.session, 0
    if not arguments:
        known = sorted(session.environment.items())
        return Output(0, "".join(f"{name}='{value}'\n" for name, value in known))
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if word == "--":
            session.arguments = (session.arguments[0], *arguments[index:])
            break
        if word[:1] not in "-+" or len(word) < 2:
            session.arguments = (session.arguments[0], *arguments[index - 1 :])
            break
        on, letters = word[0] == "-", word[1:]
        if "o" in letters and index < len(arguments):
            name, index = arguments[index], index + 1
            letters += {"errexit": "e", "nounset": "u"}.get(name, "")
            session.pipefail = on if name == "pipefail" else session.pipefail
        if "e" in letters:
            shell.stop_on_error = on
        if "u" in letters:
            session.strict = on
    return Output()


def _shift(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    count = int(arguments[0]) if arguments and arguments[0].isdecimal() else 1
    known = shell.session.arguments
    if count >= len(known):
        return Output(1)
    shell.session.arguments = (known[0], *known[1 + count :])
    return Output()


def _read(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    flags, names = options(["read", *arguments], "dntpu")
    line = shell.read_line()
    text = (line or "").rstrip("\n")
    if "r" not in flags:
        text = text.replace("\\", "")
    separator = shell.session.environment.get("IFS", " \t\n")
    names = names or ["REPLY"]
    blank = not separator.strip()
    parts = text.split(None, len(names) - 1) if blank else text.split(separator[0], len(names) - 1)
    if len(names) == 1 and separator:
        parts = [text.strip() if blank else text]
    elif not separator:
        parts = [text]
    for number, name in enumerate(names):
        value = parts[number] if number < len(parts) else ""
        shell.session.environment[name] = value.rstrip() if blank and separator else value
        shell.session.unexported.add(name)
    return Output(0 if line is not None else 1)


def _trap(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    if len(arguments) > 1 and {"EXIT", "0"} & set(arguments[1:]):
        shell.at_exit = "" if arguments[0] == "-" else arguments[0]
    for name in arguments[1:]:
        shell.traps[name.upper().removeprefix("SIG").replace("15", "TERM")] = arguments[0]
    return Output()


def _nothing(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output()


def _jobs(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return shell.session.jobs.listed(shell.session)


def _exec(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if not arguments:
        return Output()
    result = shell.simple_words(arguments, stdin)
    raise Exit(result.code, result)


def _eval(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    return shell.run(parse(" ".join(arguments)), stdin)


def _source(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if not arguments:
        return Output(2, "", f"{shell_name(shell.session)}: .: filename argument required\n")
    text = shell.session.files.read(shell.session.path(arguments[0]))
    if text is None:
        return Output(2, "", not_opened(shell.session, arguments[0], "No such file or directory"))
    return shell.run(parse(text), stdin)


def _command(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if arguments[:1] in (["-v"], ["-V"]):
        out, code = "", 0
        for name in arguments[1:]:
            if name in BUILTINS or name in ("echo", "printf", "test", "[", "true", "kill", "pwd"):
                out += f"{name}\n"
                continue
            found = COMMANDS["which"](shell.session, ["which", name], stdin)
            out, code = out + found.out, max(code, found.code)
        return Output(127 if code and not shell.session.busybox else code, out)
    return shell.simple_words(arguments, stdin)


def _type(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    out, code = "", 0
    for name in arguments:
        found = COMMANDS["which"](shell.session, ["which", name], stdin)
        if name in BUILTINS or name in ("echo", "printf", "test"):
            out += f"{name} is a shell builtin\n"
        elif found.code == 0:
            out += f"{name} is {found.out}"
        else:
            out, code = f"{out}{name}: not found\n", 127
    return Output(code, out)


def _exit(shell: Interpreter, arguments: list[str], _stdin: str) -> NoReturn:
    code = int(arguments[0]) if arguments and arguments[0].isdecimal() else shell.session.last
    raise Exit(code & 255, Output())


def _return(shell: Interpreter, arguments: list[str], _stdin: str) -> NoReturn:
    if arguments and arguments[0].isdecimal():
        shell.session.last = int(arguments[0]) & 255
    raise Leave("return", Output())


def _break(_shell: Interpreter, _arguments: list[str], _stdin: str) -> NoReturn:
    raise Leave("break", Output())


def _continue(_shell: Interpreter, _arguments: list[str], _stdin: str) -> NoReturn:
    raise Leave("continue", Output())


def _let(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for word in arguments:
        name, _, value = word.partition("=")
        shell.session.environment[name] = value
    return Output()


def _ulimit(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    letters = arguments[0].lstrip("-") if arguments else "f"
    config = shell.session.files.container.config
    machine = machines.machine(shell.session.world, config.node)
    limits = _LIMITS if machine is None else {**_LIMITS, "n": str(machine.open_files)}
    if letters == "a":
        rows = (
            ("core file size", "blocks", "c"), ("file size", "blocks", "f"),
            ("max locked memory", "kbytes", "l"), ("open files", "", "n"),
            ("stack size", "kbytes", "s"), ("max user processes", "", "u"),
            ("virtual memory", "kbytes", "v"),
        )  # fmt: skip
        return Output(
            0,
            "".join(
                f"{name:<28} {f'({unit}, -{letter})' if unit else f'(-{letter})':>14} {limits[letter]}\n"
                for name, unit, letter in rows
            ),
        )
    return Output(0, f"{limits.get(letters[-1:], 'unlimited')}\n")


_LIMITS = {
    "n": "1048576", "s": "8192", "l": "8192", "u": "unlimited", "c": "unlimited", "f": "unlimited",
    "v": "unlimited",
}  # fmt: skip


def _umask(_shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    return Output(0, "" if arguments else "0022\n")


BUILTINS: dict[str, Builtin] = {
    ".": _source,
    "alias": _nothing,
    "bg": _nothing,
    "declare": _local,
    "disown": _nothing,
    "fg": _nothing,
    "hash": _nothing,
    "jobs": _jobs,
    "let": _let,
    "local": _local,
    "read": _read,
    "readonly": _export,
    "shift": _shift,
    "shopt": _nothing,
    "source": _source,
    "type": _type,
    "typeset": _local,
    "ulimit": _ulimit,
    "umask": _umask,
    "unalias": _nothing,
    "cd": _cd,
    "export": _export,
    "unset": _unset,
    "set": _set,
    "trap": _trap,
    "exec": _exec,
    "eval": _eval,
    "command": _command,
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _continue,
}
