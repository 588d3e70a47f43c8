"""`awk`: its command line, and what it says of mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_regex.posix import PatternError

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.awk.checking import misuse
from sregym_cluster_embedded.userland.shell.awk.functions import MISSING_IN_MAWK
from sregym_cluster_embedded.userland.shell.awk.interpreter import Awk
from sregym_cluster_embedded.userland.shell.awk.parsing import BUILTINS, Parser, Program
from sregym_cluster_embedded.userland.shell.awk.streams import inwards, outwards
from sregym_cluster_embedded.userland.shell.awk.tokens import AwkSyntaxError, unescaped
from sregym_cluster_embedded.userland.shell.awk.values import AwkError, Input, Value
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAID = {
    "zero": "Division by zero",
    "math": "Math support is not compiled in",
    "function": "Call to undefined function",
    "star": "%*x formats are not supported",
    "letter": "Invalid format specifier",
}

_USAGE = """Usage: {name} [Options] [Program] [file ...]

Program:
    The -f option value is the name of a file containing program text.
    If no -f option is given, a "--" ends option processing; the following
    parameters are the program text.

Options:
    -f program-file  Program  text is read from file instead of from the
                     command-line.  Multiple -f options are accepted.
    -F value         sets the field separator, FS, to value.
    -v var=value     assigns value to program variable var.
    --               unambiguous end of options.

    Implementation-specific options are prefixed with "-W".  They can be
    abbreviated:

    -W version       show version information and exit.
    -W dump          show assembler-like listing of program and exit.
    -W help          show this message and exit.
    -W interactive   set unbuffered output, line-buffered input.
    -W exec file     use file as program as well as last option.
    -W random=number set initial random seed.
    -W sprintf=number adjust size of sprintf buffer.
    -W posix_space   do not consider "\\n" a space.
    -W usage         show this message and exit.
"""


def _awk(session: Session, words: list[str], stdin: str) -> Output:
    given: dict[str, Value] = {}
    programs: list[str] = []
    index = 1
    while index < len(words) and words[index].startswith("-") and len(words[index]) > 1:
        word = words[index]
        index += 1
        if word == "--":
            break
        if word[1] not in "Fvfe" and not session.busybox:
            return Output(2, "", f"{words[0].rpartition('/')[2]}: not an option: {word}\n")
        value = word[2:]
        if not value and index < len(words):
            value, index = words[index], index + 1
        if word.startswith("-F"):
            given["FS"] = unescaped(inwards(value))
        elif word.startswith("-v"):
            name, _, text = value.partition("=")
            given[name] = Input(unescaped(inwards(text)))
        elif word.startswith("-e"):
            programs.append(value)
        else:
            found = session.files.read(session.path(value)) if value != "-" else stdin
            if found is None:
                return Output(*_no_program(session, value))
            programs.append(found)
    if not programs:
        if index >= len(words):
            return Output(0, "", _USAGE.format(name=words[0].rpartition("/")[2]))
        programs, index = [words[index]], index + 1
    return _carried_out(session, "\n".join(programs), given, ["awk", *words[index:]], stdin)


def _no_program(session: Session, path: str) -> tuple[int, str, str]:
    why = "No such file or directory"
    if session.busybox:
        return 1, "", f"awk: can't open '{path}': {why}\n"
    return 2, "", f"awk: cannot open {path} ({why})\n"


def _carried_out(
    session: Session, text: str, given: dict[str, Value], arguments: list[str], stdin: str
) -> Output:
    failed: list[str] = []

    def source(name: str) -> str | None:
        if name in ("", "-", "/dev/stdin"):
            return stdin
        try:
            return session.files.open(session.path(outwards(name))).text
        except FileError as error:
            failed.append(_unread(session, name, error))
            return None

    try:
        program = Parser(inwards(text)).program()
        if wrong := misuse(program, busybox=session.busybox):
            where = "cmd. line:1" if session.busybox else "line 1"
            return Output(1 if session.busybox else 2, "", f"awk: {where}: {wrong}\n")
        if unknown := list(_undefined(session, program)):
            return Output(
                2, "", "".join(f"awk: line 2: function {n} never defined\n" for n in unknown)
            )
    except AwkSyntaxError as error:
        return Output(1 if session.busybox else 2, "", _mistaken(session, error))
    awk = Awk(session, program, given, [inwards(word) for word in arguments], source)
    said = ""
    try:
        awk.run()
    except (AwkError, PatternError) as error:
        awk.code = 1 if session.busybox else 2
        said = _stopped(session, awk, error)
    code = awk.code or (0 if not failed else 1 if session.busybox else 2)
    return Output(code, outwards(awk.streams.out), awk.streams.err + "".join(failed) + said)


def _unread(session: Session, name: str, error: FileError) -> str:
    if session.busybox:
        return complaint(session, "awk", "open", outwards(name), error)
    return f"awk: cannot open {outwards(name)} ({error.words})\n"


def _undefined(session: Session, program: Program) -> Iterator[str]:
    """Functions that mawk misses before it begins; BusyBox finds out when they are called."""
    if session.busybox:
        return
    seen: dict[str, None] = {}

    def look(node: object) -> None:
        if isinstance(node, tuple):
            if len(node) == 3 and node[0] == "call":
                known = node[1] in program.functions or node[1] in BUILTINS
                if not known or node[1] in MISSING_IN_MAWK:
                    seen.setdefault(node[1])
            for part in node:
                look(part)

    for rule in program.rules:
        look((rule.pattern, rule.action))
    for function in program.functions.values():
        look(function.body)
    yield from reversed(seen)


def _mistaken(session: Session, error: AwkSyntaxError) -> str:
    """What is said of a text that is no program."""
    if session.busybox:
        ended = error.kind in ("string", "regex")
        return f"awk: cmd. line:{error.line if error.kind != 'end' else 1}: Unexpected {'end of string' if ended else 'token'}\n"
    if error.kind == "end":
        return f"awk: line {error.line}: missing }} near end of file\n"
    if error.kind == "character":
        return f"awk: {error.line}: unexpected character '{error.text}'\n"
    said = {
        "string": f"runaway string constant {outwards(error.text)} ...",
        "regex": f"runaway regular expression {outwards(error.text)} ...",
        "paren": f"missing ) near {outwards(error.text)}",
    }.get(error.kind, f"syntax error at or near {outwards(error.text)}")
    return f"awk: line {error.line}: {said}\n"


def _stopped(session: Session, awk: Awk, error: Exception) -> str:
    """What is said of a program that could not go on."""
    kind, *about = error.args if isinstance(error, AwkError) else ("pattern", str(error))
    if kind == "write":
        name, why = outwards(str(about[0])), about[1]
        if session.busybox:
            return f"awk: can't open '{name}': {why}\n"
        return f'awk: cannot open "{name}" for output ({why})\n'
    if session.busybox:
        return f"awk: cmd. line:1: {_SAID.get(kind, about[0] if about else kind)}\n"
    where = (
        f'\tFILENAME="{awk.variable("FILENAME")}" FNR={awk.text(awk.variable("FNR"))} '
        f"NR={awk.text(awk.variable('NR'))}\n"
    )
    if kind in ("few", "letter"):
        return f'awk: run time error: not enough arguments passed to printf("{about[0]}")\n{where}'
    return f"awk: run time error: {about[0] if about else kind}\n{where}"


AWK_COMMANDS: dict[str, Command] = {"awk": _awk, "mawk": _awk}
