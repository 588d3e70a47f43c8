"""Commands that every shell carries out itself."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.files.inode import FOLDER
from sregym_cluster_embedded.userland.shell.bash_builtins import BASH_COMMANDS
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.errno_messages import (
    builtin_name,
    not_found,
    not_opened,
    shell_name,
    syntax_error,
)
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.session import Output
from sregym_cluster_embedded.userland.shell.signalling import SIGNALS
from sregym_cluster_embedded.userland.shell.variables import VARIABLE_COMMANDS, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.session import Session

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
        if session.shell == "bash":
            why = "too many arguments" if len(arguments) > 1 else f"{target}: {why}"
            return Output(1, "", f"{shell_name(session)}: cd: {why}\n")
        tail = f": {why}" if session.ash else ""
        name = builtin_name(session, "cd")
        return Output(2, "", f"{name}: can't cd to {target}{tail}\n")
    session.environment["OLDPWD"] = session.working_dir
    session.working_dir = session.environment["PWD"] = path
    return Output(0, f"{path}\n" if arguments == ["-"] else "")


def _nothing(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output()


def _jobs(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return shell.session.jobs.listed(shell.session)


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


_KEYWORDS = (
    *("!", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in"),
    *("then", "until", "while", "{", "}", "[[", "select", "time"),
)
# Those that are no words of their own in COMMANDS, and those that stand there.
_ALSO = ("[", "echo", "false", "kill", "printf", "pwd", "test", "true", "wait", ":")


def _trap(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if not arguments:
        shown = {**({"EXIT": shell.at_exit} if shell.at_exit else {}), **shell.traps}
        head = "SIG" if session.shell == "bash" else ""
        rows = ((act, name if name == "EXIT" else head + name) for name, act in shown.items())
        return Output(0, "".join(f"trap -- '{act}' {name}\n" for act, name in rows))
    action, names = arguments[0], arguments[1:]
    if not names:
        action, names = "-", arguments
    for given in names:
        name = given.upper().removeprefix("SIG")
        if name.isdecimal() and 0 < int(name) <= len(SIGNALS):
            name = SIGNALS[int(name) - 1]
        if name in ("EXIT", "0"):
            shell.at_exit = "" if action == "-" else action
        elif name in SIGNALS or name in ("ERR", "DEBUG", "RETURN"):
            shell.traps.pop(name, None)
            if action != "-":
                shell.traps[name] = action
        else:
            return Output(1, "", _no_signal(session, given))
    return Output()


def _no_signal(session: Session, name: str) -> str:
    if session.ash or session.shell == "bash":
        return f"{builtin_name(session, 'trap')}: {name}: invalid signal specification\n"
    return f"trap: {name}: bad trap\n"


def _exec(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if not arguments:
        return Output()
    result = shell.simple_words(arguments, stdin)
    if result.code == 127 and result.err == not_found(shell.session, arguments[0]):
        name = builtin_name(shell.session, "exec")
        tail = "not found" if shell.session.shell != "bash" else "command not found"
        if shell.session.shell != "bash" or "/" not in arguments[0]:
            result = Output(127, "", f"{name}: {arguments[0]}: {tail.removeprefix('command ')}\n")
    raise Exit(result.code, result)


def _eval(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    try:
        tree = shell.parsed(" ".join(arguments))
    except ShellSyntaxError as error:
        text = syntax_error(shell.session, error, "eval")
        raise Exit(2, Output(2, "", text)) from None
    return shell.run(tree, stdin)


def _source(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    session = shell.session
    if not arguments:
        if session.shell == "bash":
            usage = ".: usage: . filename [arguments]\n"
            name = shell_name(session)
            return Output(2, "", f"{name}: .: filename argument required\n{usage}")
        return Output(2 if session.ash else 0)
    text = session.files.read(session.path(arguments[0]))
    if text is None:
        missing = "No such file or directory"
        if session.ash:
            raise failed(session, ".", f"can't open '{arguments[0]}': {missing}")
        if session.shell == "bash":
            return Output(1, "", not_opened(session, arguments[0], missing))
        raise failed(session, ".", f"cannot open {arguments[0]}: No such file")
    kept = session.script, session.arguments
    session.script = arguments[0]
    given = len(arguments) > 1 and not session.dash
    if given:
        session.arguments = (session.arguments[0], *arguments[1:])
    try:
        return shell.run(shell.parsed(text), stdin)
    except ShellSyntaxError as error:
        raise Exit(2, Output(2, "", syntax_error(session, error))) from None
    finally:
        session.script = kept[0]
        if given:
            session.arguments = kept[1]


def _command(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if arguments[:1] == ["-V"]:
        return _type(shell, arguments[1:], stdin)
    if arguments[:1] == ["-v"]:
        out, code = "", 0
        # BusyBox looks at the first name only.
        names = arguments[1:2] if shell.session.ash else arguments[1:]
        for name in names:
            found = _kind_of(shell, name, stdin)
            if found.startswith("/"):
                out += f"{found}\n"
            elif found:
                out += f"{name}\n"
            else:
                code = 1 if shell.session.shell == "bash" else 127
        return Output(code, out)
    return shell.simple_words(arguments, stdin) if arguments else Output()


def _kind_of(shell: Interpreter, name: str, stdin: str) -> str:
    """What a word means to the shell: a path, or the words of `type`; empty when it is nothing."""
    if name in _KEYWORDS:
        return "a shell keyword"
    if name in shell.session.functions:
        return "a shell function" if shell.session.dash else "a function"
    if name in BUILTINS or name in _ALSO:
        special = name in (":", ".", "break", "continue", "eval", "exec", "exit", "export")
        special = special or name in (
            "readonly",
            "return",
            "set",
            "shift",
            "times",
            "trap",
            "unset",
        )
        if special and shell.session.shell != "bash":
            return "a special shell builtin"
        return "a shell builtin"
    return COMMANDS["which"](shell.session, ["which", name], stdin).out.rstrip("\n")


def _type(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    out, err, code = "", "", 0
    short = arguments[:1] in (["-t"], ["-p"], ["-P"]) and shell.session.shell == "bash"
    for name in arguments[1:] if short else arguments:
        found = _kind_of(shell, name, stdin)
        if short:
            out += _short_kind(arguments[0], found)
            code = code if found else 1
        elif found:
            out += f"{name} is {found}\n"
        elif shell.session.shell == "bash":
            err, code = f"{err}{shell_name(shell.session)}: type: {name}: not found\n", 1
        else:
            out, code = f"{out}{name}: not found\n", 127
    return Output(code, out, err)


def _short_kind(flag: str, found: str) -> str:
    """What `type -t` and `type -p` say of a word, by what `type` does."""
    if found.startswith("/"):
        return "file\n" if flag == "-t" else f"{found}\n"
    return f"{found.rpartition(' ')[2]}\n" if found and flag == "-t" else ""


def _alias(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    known, out, err = shell.session.aliases, "", ""
    bash = shell.session.shell == "bash"
    head = "alias " if bash else ""
    for word in arguments or list(known):
        name, equals, value = word.partition("=")
        if equals:
            known[name] = value
        elif name in known:
            out += f"{head}{name}='{known[name]}'\n"
        else:
            colon = ":" if bash else ""
            start = f"{shell_name(shell.session)}: " if bash else ""
            err += f"{start}alias: {name}{colon} not found\n"
    return Output(1 if err else 0, out, err)


def _unalias(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    err = ""
    for name in arguments:
        if name != "-a" and shell.session.aliases.pop(name, None) is None:
            colon = ":" if shell.session.shell == "bash" else ""
            start = f"{shell_name(shell.session)}: " if shell.session.shell == "bash" else ""
            err += f"{start}unalias: {name}{colon} not found\n"
    return Output(1 if err else 0, "", err)


def _exit(shell: Interpreter, arguments: list[str], _stdin: str) -> NoReturn:
    if arguments and not re.fullmatch(r"\d+", arguments[0]) and shell.session.shell != "bash":
        raise failed(shell.session, "exit", f"Illegal number: {arguments[0]}")
    if arguments and not re.fullmatch(r"-?\d+", arguments[0]):
        text = f"{shell_name(shell.session)}: exit: {arguments[0]}: numeric argument required\n"
        raise Exit(2, Output(2, "", text))
    code = int(arguments[0]) if arguments else shell.session.last
    raise Exit(code & 255, Output())


def _return(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    if shell.session.shell == "bash" and not shell.frames and not shell.session.script:
        text = "return: can only `return' from a function or sourced script"
        return Output(2, "", f"{shell_name(shell.session)}: {text}\n")
    if arguments and not arguments[0].isdecimal() and shell.session.shell != "bash":
        raise failed(shell.session, "return", f"Illegal number: {arguments[0]}")
    if arguments and arguments[0].isdecimal():
        shell.session.last = int(arguments[0]) & 255
    raise Leave("return", Output())


def _break(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    return _left(shell, "break", arguments)


def _continue(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    return _left(shell, "continue", arguments)


def _left(shell: Interpreter, word: str, arguments: list[str]) -> Output:
    """Leave loops; outside of one nothing happens."""
    if (
        arguments
        and shell.session.shell != "bash"
        and not re.fullmatch(r"0*[1-9]\d*", arguments[0])
    ):
        raise failed(shell.session, word, f"Illegal number: {arguments[0]}")
    if shell.loops == 0:
        if shell.session.shell == "bash":
            text = f"{word}: only meaningful in a `for', `while', or `until' loop"
            return Output(0, "", f"{shell_name(shell.session)}: {text}\n")
        return Output()
    count = int(arguments[0]) if arguments and arguments[0].isdecimal() else 1
    raise Leave(word, Output(), min(max(count, 1), shell.loops))


def _umask(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if not arguments:
        return Output(0, f"{session.mask:04o}\n")
    if arguments[0] == "-S":
        kept = [0o777 & ~session.mask >> shift & 7 for shift in (6, 3, 0)]
        words = [
            "".join(c for c, bit in zip("rwx", (4, 2, 1), strict=True) if n & bit) for n in kept
        ]
        return Output(0, "u={},g={},o={}\n".format(*words))
    if not re.fullmatch(r"[0-7]{1,4}", arguments[0]):
        if re.fullmatch(r"\d+", arguments[0]):
            text = f"{builtin_name(session, 'umask')}: illegal mode: {arguments[0]}\n"
            raise Exit(2, Output(2, "", text))
        return Output()
    session.mask = int(arguments[0], 8)
    return Output()


def _times(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output(0, "0m0.00s 0m0.00s\n" * 2)


def _fg(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return _no_job(shell, "fg")


def _bg(shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return _no_job(shell, "bg")


def _no_job(shell: Interpreter, word: str) -> Output:
    if shell.session.shell == "bash":
        return Output(1, "", f"{shell_name(shell.session)}: {word}: no job control\n")
    return Output(2, "", f"{builtin_name(shell.session, word)}: No current job\n")


BUILTINS: dict[str, Builtin] = {
    **VARIABLE_COMMANDS,
    **BASH_COMMANDS,
    ".": _source,
    "alias": _alias,
    "bg": _bg,
    "break": _break,
    "cd": _cd,
    "command": _command,
    "continue": _continue,
    "disown": _nothing,
    "eval": _eval,
    "exec": _exec,
    "exit": _exit,
    "fg": _fg,
    "hash": _nothing,
    "jobs": _jobs,
    "return": _return,
    "source": _source,
    "times": _times,
    "trap": _trap,
    "type": _type,
    "ulimit": _ulimit,
    "umask": _umask,
    "unalias": _unalias,
}
