"""What commands say when the kernel refuses: each flavour in its own words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.inode import FileError
    from sregym_cluster_embedded.userland.shell.session import Session

# {name} is the command, {path} the operand, {why} the text of strerror.
_PLAIN = "{name}: {path}: {why}"
_BUSYBOX = {
    "open": _PLAIN,
    "create": "{name}: can't create '{path}': {why}",
    "remove": "{name}: can't remove '{path}': {why}",
    "stat": "{name}: can't stat '{path}': {why}",
}
_BUSYBOX_OF = {
    **{
        (name, "open"): "{name}: can't open '{path}': {why}"
        for name in (
            *("cat", "tail", "uniq", "md5sum", "sha1sum", "sha256sum", "sha512sum"),
            *("cp", "tar", "dd"),
        )
    },
    ("touch", "create"): _PLAIN,
    ("tee", "create"): _PLAIN,
    ("dd", "create"): "{name}: can't open '{path}': {why}",
    ("dd", "write"): "{name}: error writing '{path}': {why}",
    ("mkdir", "create"): "{name}: can't create directory '{path}': {why}",
    ("tar", "create"): "{name}: can't open '{path}': {why}",
    ("rmdir", "remove"): "{name}: '{path}': {why}",
    ("mv", "stat"): "{name}: can't rename '{path}': {why}",
    ("mv", "create"): "{name}: can't rename '{path}': {why}",
    ("ls", "stat"): _PLAIN,
    ("ls", "open"): "{name}: can't open '{path}': {why}",
    ("find", "stat"): _PLAIN,
    ("du", "stat"): _PLAIN,
    ("ln", "create"): _PLAIN,
    ("chmod", "change"): _PLAIN,
    ("chown", "change"): _PLAIN,
    ("chgrp", "change"): _PLAIN,
    ("truncate", "create"): "{name}: {path}: open: {why}",
}
_GNU = {
    "open": _PLAIN,
    "create": "{name}: cannot create regular file '{path}': {why}",
    "remove": "{name}: cannot remove '{path}': {why}",
    "stat": "{name}: cannot stat '{path}': {why}",
}
_GNU_OF = {
    ("head", "open"): "{name}: cannot open '{path}' for reading: {why}",
    ("tail", "open"): "{name}: cannot open '{path}' for reading: {why}",
    ("sort", "open"): "{name}: cannot read: {path}: {why}",
    ("sed", "open"): "{name}: can't read {path}: {why}",
    ("cp", "open"): "{name}: cannot open '{path}' for reading: {why}",
    ("dd", "open"): "{name}: failed to open '{path}': {why}",
    ("dd", "create"): "{name}: failed to open '{path}': {why}",
    ("dd", "write"): "{name}: error writing '{path}': {why}",
    ("touch", "create"): "{name}: cannot touch '{path}': {why}",
    ("tee", "create"): _PLAIN,
    ("mkdir", "create"): "{name}: cannot create directory '{path}': {why}",
    ("rmdir", "remove"): "{name}: failed to remove '{path}': {why}",
    ("mv", "create"): "{name}: cannot move to '{path}': {why}",
    ("ls", "stat"): "{name}: cannot access '{path}': {why}",
    ("ls", "open"): "{name}: cannot open directory '{path}': {why}",
    ("stat", "stat"): "{name}: cannot statx '{path}': {why}",
    ("find", "stat"): "{name}: '{path}': {why}",
    ("du", "stat"): "{name}: cannot access '{path}': {why}",
    ("ln", "create"): "{name}: failed to create symbolic link '{path}': {why}",
    ("chmod", "change"): "{name}: changing permissions of '{path}': {why}",
    ("chmod", "stat"): "{name}: cannot access '{path}': {why}",
    ("chown", "change"): "{name}: changing ownership of '{path}': {why}",
    ("chown", "stat"): "{name}: cannot access '{path}': {why}",
    ("tar", "open"): "{name}: {path}: Cannot open: {why}",
    ("tar", "create"): "{name}: {path}: Cannot open: {why}",
    ("tar", "stat"): "{name}: {path}: Cannot stat: {why}",
    ("truncate", "create"): "{name}: cannot open '{path}' for writing: {why}",
}
_MISSING = "No such file or directory"


def complaint(session: Session, name: str, doing: str, path: str, why: FileError | str) -> str:
    """The line that a command writes to standard error.

    Args:
        session: The session with the flavour of commands.
        name: The command.
        doing: `open`, `create`, `write`, `remove`, `stat` or `change`.
        path: The operand as it was typed.
        why: The refusal.
    """
    words = why if isinstance(why, str) else why.words
    if session.busybox:
        form = _BUSYBOX_OF.get((name, doing)) or _BUSYBOX.get(doing, _PLAIN)
    else:
        if doing == "change" and words == _MISSING:
            doing = "stat"
        form = _GNU_OF.get((name, doing)) or _GNU.get(doing, _PLAIN)
    return form.format(name=name, path=path, why=words) + "\n"


def shell_name(session: Session) -> str:
    """How the shell calls itself, and where it is, in front of its errors."""
    name, line = session.arguments[0], session.at_line
    if session.ash:
        return f"{_read_from(session)}: line {line}" if session.script else name
    return f"{name}: line {line}" if session.shell == "bash" else f"{name}: {line}"


def _read_from(session: Session) -> str:
    """The shell, and the file from which it reads; a script has the shell's name itself."""
    name = session.arguments[0]
    return name if session.script in ("", name) else f"{name}: {session.script}"


def builtin_name(session: Session, builtin: str) -> str:
    """The same in front of an error of one of its own commands."""
    if session.ash:
        line = session.at_line - (0 if session.script else 1)
        return f"{session.arguments[0]}: {builtin}: line {line}"
    return f"{shell_name(session)}: {builtin}"


def syntax_error(session: Session, error: Exception, builtin: str = "") -> str:
    """What a shell says of a text that is no script."""
    words = str(error)
    if session.ash:
        # Behind `-c` there is no line to name.
        return f"{builtin_name(session, builtin) if builtin else shell_name(session)}: {words}\n"
    found = re.fullmatch(r"syntax error: unexpected (.*?)( \(expecting .*\))?", words)
    if session.shell == "bash":
        head = f"{session.script or f'{session.arguments[0]}: -c'}: line {session.at_line}"
        if isinstance(error, ShellSyntaxError) and error.mark:
            line = session.at_line - words.endswith('(expecting ")")')
            head = head.rpartition(": line ")[0] + f": line {line}"
            return f"{head}: unexpected EOF while looking for matching `{error.mark}'\n"
        if found is None:
            return f"{head}: {words}\n"
        if found[1] == "end of file":
            return f"{head}: syntax error: unexpected end of file\n"
        return f"{head}: syntax error near unexpected token `{found[1].strip(chr(34))}'\n"
    if found is not None:
        words = f"syntax error: {found[1]} unexpected{found[2] or ''}"
    words = words.replace("bad for loop", "Bad for loop").replace("untermi", "Untermi")
    name = builtin_name(session, builtin) if builtin else shell_name(session)
    return f"{name}: {words[0].upper()}{words[1:]}\n"


def not_found(session: Session, word: str) -> str:
    """What a shell says of a command that is not there."""
    name = shell_name(session)
    tail = "not found"
    if session.shell == "bash":
        tail = "No such file or directory" if "/" in word else "command not found"
    return f"{name}: {word}: {tail}\n"


def not_created(session: Session, target: str, why: FileError | str) -> str:
    """What a shell says of an output file that it cannot open."""
    words = why if isinstance(why, str) else why.words
    name = shell_name(session)
    if session.shell == "bash":
        return f"{name}: {target}: {words}\n"
    if words == _MISSING:
        words = "nonexistent directory" if session.ash else "Directory nonexistent"
    can = "can't create" if session.ash else "cannot create"
    return f"{name}: {can} {target}: {words}\n"


def not_opened(session: Session, target: str, why: FileError | str) -> str:
    """What a shell says of an input file that it cannot open."""
    words = why if isinstance(why, str) else why.words
    name = shell_name(session)
    if session.shell == "bash":
        return f"{name}: {target}: {words}\n"
    if words == _MISSING:
        words = "no such file" if session.ash else "No such file"
    can = "can't open" if session.ash else "cannot open"
    return f"{name}: {can} {target}: {words}\n"


_QUOTED = {"busybox": "!\"#$%&()*;<=>?[\\`{|}~'", "bash": "!\"$&()*;<>?[\\]^`{|}'"}


def trace(session: Session, values: dict[str, str], words: list[str]) -> str:
    """What `set -x` writes of a command, with the quotes that each shell puts around words."""
    if "x" not in session.options:
        return ""
    marks = _QUOTED["busybox"] if session.ash else ""
    if session.shell == "bash" and not session.ash:
        marks = _QUOTED["bash"]
        sets = "".join(f"+ {name}={_quoted(value, marks)}\n" for name, value in values.items())
        return sets + (f"+ {' '.join(_quoted(word, marks) for word in words)}\n" if words else "")
    shown = [f"{name}={_quoted(value, marks)}" for name, value in values.items()]
    return f"+ {' '.join([*shown, *(_quoted(word, marks) for word in words)])}\n"


def _quoted(word: str, marks: str) -> str:
    if marks and any(char in marks or char.isspace() for char in word):
        return "'" + word.replace("'", "'\"'\"'") + "'"
    return word
