"""Commands that change the shell itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeAlias

from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.session import Output
from sregym_cluster_embedded.userland.shell.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter

Builtin: TypeAlias = "Callable[[Interpreter, list[str], str], Output]"


def _cd(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    target = arguments[0] if arguments else shell.session.environment.get("HOME", "/root")
    path = shell.session.path(target)
    if shell.session.files.listing(path) is None:
        return Output(2, "", f"sh: cd: can't cd to {target}: No such file or directory\n")
    shell.session.working_dir = path
    return Output()


def _export(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for word in arguments:
        name, equals, value = word.partition("=")
        if equals:
            shell.session.environment[name] = value
    return Output()


def _unset(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for name in arguments:
        shell.session.environment.pop(name, None)
    return Output()


def _set(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    for word in arguments:
        if word.startswith("-") and "e" in word:
            shell.stop_on_error = True
        elif word.startswith("+") and "e" in word:
            shell.stop_on_error = False
    return Output()


def _trap(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output()


def _wait(_shell: Interpreter, _arguments: list[str], _stdin: str) -> Output:
    return Output()


def _exec(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if not arguments:
        return Output()
    result = shell.simple_words(arguments, stdin)
    raise Exit(result.code, result)


def _eval(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    return shell.run(parse(" ".join(arguments)), stdin)


def _command(shell: Interpreter, arguments: list[str], stdin: str) -> Output:
    if arguments[:1] == ["-v"]:
        return COMMANDS["which"](shell.session, ["which", *arguments[1:]], stdin)
    return shell.simple_words(arguments, stdin)


def _exit(shell: Interpreter, arguments: list[str], _stdin: str) -> NoReturn:
    code = int(arguments[0]) if arguments and arguments[0].isdecimal() else shell.session.last
    raise Exit(code & 255, Output())


def _return(shell: Interpreter, arguments: list[str], stdin: str) -> NoReturn:
    _exit(shell, arguments, stdin)


def _break(_shell: Interpreter, _arguments: list[str], _stdin: str) -> NoReturn:
    raise Leave("break", Output())


def _continue(_shell: Interpreter, _arguments: list[str], _stdin: str) -> NoReturn:
    raise Leave("continue", Output())


BUILTINS: dict[str, Builtin] = {
    "cd": _cd,
    "export": _export,
    "unset": _unset,
    "set": _set,
    "trap": _trap,
    "wait": _wait,
    "exec": _exec,
    "eval": _eval,
    "command": _command,
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _continue,
}
