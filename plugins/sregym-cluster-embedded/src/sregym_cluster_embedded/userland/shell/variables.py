"""Commands of a shell that change its variables, options and arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell import arrays
from sregym_cluster_embedded.userland.shell.arithmetic import Arithmetic, ArithmeticSyntaxError
from sregym_cluster_embedded.userland.shell.assigning import assign
from sregym_cluster_embedded.userland.shell.control import Exit
from sregym_cluster_embedded.userland.shell.errno_messages import builtin_name, shell_name
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter

_NAME = re.compile(r"[A-Za-z_]\w*")
# Options of `set`, by letter, in the order in which `set -o` shows them.
OPTIONS = {
    "e": "errexit", "f": "noglob", "I": "ignoreeof", "i": "interactive", "m": "monitor",
    "n": "noexec", "s": "stdin", "x": "xtrace", "v": "verbose", "C": "noclobber",
    "a": "allexport", "b": "notify", "u": "nounset", "V": "vi",
}  # fmt: skip
_BASH_OPTIONS = (
    *("pipefail", "posix", "errtrace", "functrace", "hashall", "braceexpand", "physical"),
    *("emacs", "history", "histexpand", "keyword", "onecmd", "privileged", "interactive-comments"),
)
_SET_USAGE = "set: usage: set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]\n"


def failed(session: Session, builtin: str, why: str) -> Exit:
    """The end of a shell for a mistake in one of its special commands; bash goes on elsewhere."""
    return Exit(2, Output(2, "", f"{builtin_name(session, builtin)}: {why}\n"))


def _export(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    return _marked(shell.session, "export", arguments)


def _readonly(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    return _marked(shell.session, "readonly", arguments)


def _marked(session: Session, builtin: str, arguments: list[str]) -> Output:
    flags = "".join(word[1:] for word in arguments if re.fullmatch(r"-[a-z]+", word))
    names = [word for word in arguments if not word.startswith("-")]
    if not names:
        shown = session.readonly if builtin == "readonly" else set(session.environment)
        hidden = session.unexported if builtin == "export" else set()
        form = 'declare -x {}="{}"\n' if session.shell == "bash" else "export {}='{}'\n"
        form = form.replace("export", builtin).replace("-x", "-r" if builtin != "export" else "-x")
        known = sorted(shown - hidden)
        return Output(0, "".join(form.format(n, session.environment.get(n, "")) for n in known))
    for word in names:
        name, equals, value = word.partition("=")
        if not _NAME.fullmatch(name):
            if session.shell == "bash":
                why = f"{builtin}: `{word}': not a valid identifier"
                return Output(1, "", f"{shell_name(session)}: {why}\n")
            raise failed(session, builtin, f"{name}: bad variable name")
        if equals:
            fresh = name not in session.environment
            assign(session, name, value, builtin)
            if fresh and builtin == "readonly":
                session.unexported.add(name)
        if builtin == "readonly":
            session.readonly.add(name)
        elif "n" in flags:
            session.unexported.add(name)
        else:
            session.unexported.discard(name)
    return Output()


def _local(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if not shell.frames:
        if session.shell == "bash":
            text = "local: can only be used in a function"
            return Output(1, "", f"{shell_name(session)}: {text}\n")
        raise failed(session, "local", "not in a function")
    return _declare(shell, arguments, _stdin)


def _declare(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    flags = "".join(word[1:] for word in arguments if word.startswith("-"))
    names = [word for word in arguments if not word.startswith(("-", "+"))]
    if "p" in flags:
        return _described(session, names)
    for word in names:
        name, equals, value = word.partition("=")
        before = session.environment.get(name)
        if shell.frames and "g" not in flags:
            shell.frames[-1].setdefault(name, before)
        if "A" in flags:
            arrays.make_by_name(session, name)
        if "i" in flags:
            session.readonly.add(f"{name}[int]")
        if equals:
            assign(session, name, _whole(session, value) if "i" in flags else value)
            if "x" in flags:
                session.unexported.discard(name)
            elif before is None:
                session.unexported.add(name)
        elif "x" in flags:
            session.unexported.discard(name)
        elif shell.frames and not arrays.is_array(session, name):
            session.environment.pop(name, None)
        if "r" in flags:
            session.readonly.add(name)
    return Output()


def _whole(session: Session, text: str) -> str:
    """What a variable that holds numbers gets."""
    calculator = Arithmetic(lambda name: session.environment.get(name, ""), lambda _n, _v: None)
    try:
        return str(calculator.evaluate(text))
    except ArithmeticSyntaxError:
        return "0"


def _described(session: Session, names: list[str]) -> Output:
    """`declare -p`."""
    out, err = "", ""
    for name in names:
        if arrays.is_array(session, name):
            listed = arrays.elements(session, name)
            flag = "A" if arrays.by_name(session, name) else "a"
            inner = " ".join(f'[{index}]="{value}"' for index, value in listed.items())
            out += f"declare -{flag} {name}=({inner}{' ' if flag == 'A' else ''})\n"
        elif name in session.environment:
            flag = ("i" if f"{name}[int]" in session.readonly else "") + (
                "r" if name in session.readonly else ""
            )
            flag += "" if name in session.unexported else "x"
            out += f'declare -{flag or "-"} {name}="{session.environment[name]}"\n'
        else:
            err += f"{shell_name(session)}: declare: {name}: not found\n"
    return Output(1 if err else 0, out, err)


def _unset(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    for name in [word for word in arguments if not word.startswith("-")]:
        if session.shell != "bash" and not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise failed(session, "unset", f"{name}: bad variable name")
        if name in session.readonly and "-f" not in arguments:
            if session.shell == "bash":
                why = f"unset: {name}: cannot unset: readonly variable"
                return Output(1, "", f"{shell_name(session)}: {why}\n")
            raise failed(session, "unset", f"{name}: is read only")
        if "-f" not in arguments:
            session.environment.pop(name, None)
            arrays.remove(session, name)
        if "-v" not in arguments:
            session.functions.pop(name, None)
    return Output()


def _set(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session, index = shell.session, 0
    if not arguments:
        known = sorted(p for p in session.environment.items() if not p[0].endswith("[]"))
        return Output(0, "".join(f"{name}='{value}'\n" for name, value in known))
    if arguments == ["-o"]:
        rows = ((name, letter in session.options) for letter, name in OPTIONS.items())
        head = "Current option settings\n" if session.dash else ""
        shown = "".join(f"{name:<16}{'on' if on else 'off'}\n" for name, on in rows)
        return Output(0, head + shown)
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
            if session.dash and name not in OPTIONS.values():
                raise failed(session, "set", f"Illegal option -o {name}")
            if session.shell == "bash" and name not in (*OPTIONS.values(), *_BASH_OPTIONS):
                said = f"{shell_name(session)}: set: {name}: invalid option name\n"
                return Output(2, "", said)
            letters = letters.replace("o", "")
            letters += next((letter for letter, known in OPTIONS.items() if known == name), "")
            session.pipefail = on if name == "pipefail" else session.pipefail
        unknown = [letter for letter in letters if letter not in OPTIONS and letter not in "ohEBTP"]
        if unknown and session.shell == "bash":
            text = f"{shell_name(session)}: set: -{unknown[0]}: invalid option\n{_SET_USAGE}"
            return Output(2, "", text)
        if unknown:
            word = "illegal" if session.ash else "Illegal"
            raise failed(session, "set", f"{word} option {'-' if on else '+'}{unknown[0]}")
        session.options = session.options | set(letters) if on else session.options - set(letters)
        if "e" in letters:
            shell.stop_on_error = on
        if "u" in letters:
            session.strict = on
    return Output()


def _shift(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if arguments and not arguments[0].isdecimal():
        if session.shell == "bash":
            text = f"shift: {arguments[0]}: numeric argument required"
            return Output(1, "", f"{shell_name(session)}: {text}\n")
        raise failed(session, "shift", f"Illegal number: {arguments[0]}")
    count = int(arguments[0]) if arguments else 1
    known = session.arguments
    if count >= len(known):
        if session.ash or session.shell == "bash":
            return Output(1)
        raise failed(session, "shift", "can't shift that many")
    session.arguments = (known[0], *known[1 + count :])
    return Output()


def _read(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    flags, names = options(["read", *arguments], "adntpu")
    session = shell.session
    bad = next((name for name in names if not _NAME.fullmatch(name)), None)
    if bad is not None:
        if session.ash:
            return Output(2, "", f"{shell_name(session)}: read: '{bad}': bad variable name\n")
        if session.shell != "bash":
            raise failed(session, "read", f"{bad}: bad variable name")
        return Output(1, "", f"{shell_name(session)}: read: `{bad}': not a valid identifier\n")
    line = shell.read_line(int(flags["u"]) if flags.get("u", "").isdecimal() else 0)
    if session.shell == "bash" and flags.get("d") == "":
        while (more := shell.read_line()) is not None:
            line = (line or "") + more
    if session.shell == "bash" and flags.get("n", "").isdecimal():
        line = (line or "")[: int(flags["n"])] + "\n"
    text = (line or "").rstrip("\n")
    if "r" not in flags:
        text = text.replace("\\", "")
    separator = session.environment.get("IFS", " \t\n")
    if "a" in flags and session.shell == "bash":
        found = text.split() if not separator.strip() else text.split(separator[0])
        arrays.fill(session, flags["a"], found if text else [])
        return Output(0 if line is not None and line.endswith("\n") else 1)
    names = names or ["REPLY"]
    blank = not separator.strip()
    parts = text.split(None, len(names) - 1) if blank else text.split(separator[0], len(names) - 1)
    if len(names) == 1 and separator:
        parts = [text.strip() if blank else text]
    elif not separator:
        parts = [text]
    for number, name in enumerate(names):
        value = parts[number] if number < len(parts) else ""
        assign(session, name, value.rstrip() if blank and separator else value)
        session.unexported.add(name)
    return Output(0 if line is not None and line.endswith("\n") else 1)


def _let(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if not arguments:
        return Output(1, "", f"{builtin_name(session, 'let')}: expression expected\n")
    calculator = Arithmetic(
        lambda name: session.environment.get(name, ""),
        lambda name, value: assign(session, name, value),
    )
    value = 0
    for word in arguments:
        try:
            value = calculator.evaluate(word)
        except ArithmeticSyntaxError as error:
            return Output(1, "", f"{builtin_name(session, 'let')}: {error}\n")
    return Output(int(value == 0))


def _getopts(shell: Interpreter, arguments: list[str], _stdin: str) -> Output:
    session = shell.session
    if len(arguments) < 2:
        usage = "Usage: getopts optstring var [arg...]"
        raise failed(
            session, "getopts", usage if session.dash else "usage: getopts optstring var [arg]"
        )
    letters, name = arguments[0], arguments[1]
    if session.shell != "bash" and not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise failed(session, "getopts", f"{name}: bad variable name")
    words = arguments[2:] or list(session.arguments[1:])
    quiet = letters.startswith(":")
    at, place = int(session.environment.get("OPTIND", "1")), shell.option_place
    if at > len(words) or not words[at - 1].startswith("-") or words[at - 1] in ("-", "--"):
        at += at <= len(words) and words[at - 1] == "--"
        session.environment.update({name: "?", "OPTIND": str(at)})
        session.unexported |= {name, "OPTIND", "OPTARG"}
        return Output(1)
    word = words[at - 1]
    letter, place = word[place], place + 1
    session.environment.pop("OPTARG", None)
    found, err = letter, ""
    known = letters.find(letter, 1 if quiet else 0)
    if known < 0 or letter == ":":
        found = "?"
        err = "" if quiet else f"Illegal option -{letter}\n"
        if quiet:
            session.environment["OPTARG"] = letter
    elif letters[known + 1 : known + 2] == ":":
        value = word[place:]
        place = len(word)
        if not value and at < len(words):
            value, at = words[at], at + 1
        elif not value:
            found = ":" if quiet else "?"
            err = "" if quiet else f"No arg for -{letter} option\n"
            value = letter if quiet else ""
        session.environment["OPTARG"] = value
    if place >= len(word):
        at, place = at + 1, 1
    shell.option_place = place
    session.environment.update({name: found, "OPTIND": str(at)})
    session.unexported |= {name, "OPTIND", "OPTARG"}
    if err and not session.ash:
        bash = f"{session.arguments[0]}: {'illegal option' if 'Ill' in err else 'option requires an argument'} -- {letter}\n"
        err = bash if session.shell == "bash" else err
    return Output(0, "", err)


VARIABLE_COMMANDS = {
    "declare": _declare,
    "export": _export,
    "getopts": _getopts,
    "let": _let,
    "local": _local,
    "read": _read,
    "readonly": _readonly,
    "set": _set,
    "shift": _shift,
    "typeset": _declare,
    "unset": _unset,
}
