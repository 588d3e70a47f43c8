"""`sed`: its command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.sed.interpreter import Editor
from sregym_cluster_embedded.userland.shell.sed.parsing import Reader, ScriptError
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session


@dataclass
class _Asked:
    """A command line, taken apart."""

    scripts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    quiet: bool = False
    extended: bool = False
    apart: bool = False
    zero: bool = False
    inplace: str | None = None


def _asked(session: Session, words: list[str]) -> _Asked:
    asked, index = _Asked(), 1
    while index < len(words):
        word = words[index]
        index += 1
        long, _, value = word.partition("=")
        if word == "--":
            asked.files += words[index:]
            break
        if word.startswith("--"):
            if long in ("--expression", "--file") and not value and index < len(words):
                value, index = words[index], index + 1
            _long(session, asked, long, value)
        elif word.startswith("-") and len(word) > 1:
            index = _short(session, asked, words, index)
        else:
            asked.files.append(word)
    return asked


def _long(session: Session, asked: _Asked, name: str, value: str) -> None:
    if name == "--expression":
        asked.scripts.append(value)
    elif name == "--file":
        asked.scripts.append(session.files.read(session.path(value)) or "")
    elif name == "--in-place":
        asked.inplace = value
    asked.quiet = asked.quiet or name in ("--quiet", "--silent")
    asked.extended = asked.extended or name == "--regexp-extended"
    asked.apart = asked.apart or name == "--separate"
    asked.zero = asked.zero or name == "--null-data"


def _short(session: Session, asked: _Asked, words: list[str], index: int) -> int:
    word = words[index - 1]
    for place, letter in enumerate(word[1:], start=1):
        if letter in "ef":
            value = word[place + 1 :]
            if not value and index < len(words):
                value, index = words[index], index + 1
            found = session.files.read(session.path(value)) or "" if letter == "f" else value
            asked.scripts.append(found)
            break
        if letter == "i":
            asked.inplace = word[place + 1 :]
            break
        asked.quiet = asked.quiet or letter == "n"
        asked.extended = asked.extended or letter in "Er"
        asked.apart = asked.apart or letter == "s"
        asked.zero = asked.zero or letter == "z"
    return index


def _sed(session: Session, words: list[str], stdin: str) -> Output:
    if words[1:2] == ["--version"]:
        about = "This is not GNU sed version 4.0\n" if session.busybox else "sed (GNU sed) 4.9\n"
        return Output(0, about)
    asked = _asked(session, words)
    if not asked.scripts:
        if not asked.files:
            usage = "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n"
            return Output(1, "", usage)
        asked.scripts.append(asked.files.pop(0))
    script = "\n".join(asked.scripts)
    quiet = asked.quiet or script.startswith("#n\n")
    try:
        orders = Reader(script, extended=asked.extended, busybox=session.busybox).orders()
    except ScriptError as error:
        head = "sed: "
        if error.at is not None and not session.busybox:
            head += f"-e expression #1, char {error.at}: "
        code = 4 if error.at is None and not session.busybox else 1
        return Output(code, "", f"{head}{error}\n")
    editor = Editor(session, orders, quiet=quiet, ending="\0" if asked.zero else "\n")
    if not asked.files and asked.inplace is None:
        out = editor.run(stdin)
        return Output(editor.code, out)
    if asked.inplace is not None and not asked.files:
        said = "sed: no input files\n"
        return Output(1 if session.busybox else 4, "", said)
    texts, err = _texts(session, asked, stdin)
    if asked.inplace is not None:
        for name, text in texts:
            err += _in_place(session, editor, asked, name, text)
        code = (1 if session.busybox else 4 if "couldn't" in err else 2) if err else editor.code
        return Output(code, "", err)
    if asked.apart:
        out = ""
        for _, text in texts:
            editor.number = 0
            out += editor.run(text)
    else:
        out = editor.run("".join(text for _, text in texts))
    return Output((1 if session.busybox else 2) if err else editor.code, out, err)


def _texts(session: Session, asked: _Asked, stdin: str) -> tuple[list[tuple[str, str]], str]:
    found, err = [], ""
    for name in asked.files:
        try:
            piped = name in ("-", "/dev/stdin")
            text = stdin if piped else session.files.open(session.path(name)).text
        except FileError as error:
            if error.words == "Is a directory" and not session.busybox:
                edited = asked.inplace is not None
                err += (
                    f"sed: couldn't edit {name}: not a regular file\n"
                    if edited
                    else f"sed: read error on {name}: Is a directory\n"
                )
            else:
                err += complaint(session, "sed", "open", name, error)
            continue
        found.append((name, text))
    return found, err


def _in_place(session: Session, editor: Editor, asked: _Asked, name: str, text: str) -> str:
    path = session.path(name)
    editor.number, editor.name = 0, name
    out = editor.run(text)
    try:
        if asked.inplace:
            base = asked.inplace
            copy = base.replace("*", name) if "*" in base else path + base
            session.files.write(copy, text)
        session.files.write(path, out)
    except FileError as error:
        folder = path.rpartition("/")[0] or "/"
        if session.busybox:
            return f"sed: can't create temp file '{name}XXXXXX': {error.words}\n"
        shown = name.rpartition("/")[0] or ("." if "/" not in name else folder)
        return f"sed: couldn't open temporary file {shown.rstrip('/')}/sedXXXXXX: {error.words}\n"
    return ""


EDITING_COMMANDS: dict[str, Command] = {"sed": _sed}
