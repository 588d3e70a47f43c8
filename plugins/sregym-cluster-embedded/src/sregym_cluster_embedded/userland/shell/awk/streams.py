"""What awk reads and writes: records, files and commands behind pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_regex.budget import allocate
from sregym_regex.posix import compiled

from sregym_cluster_embedded.userland.files.inode import FileError

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session


def inwards(text: str) -> str:
    """A text as awk sees it: byte by byte."""
    if text.isascii():
        return text
    return text.encode(errors="surrogateescape").decode("latin-1")


def outwards(text: str) -> str:
    """The reverse."""
    if text.isascii():
        return text
    return text.encode("latin-1", errors="replace").decode(errors="surrogateescape")


class Records:
    """The records of a text, one after the other."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def following(self, separator: str) -> str | None:
        """The next record; None behind the last.

        Args:
            separator: `RS`: one character, none for paragraphs, or an expression.
        """
        text, at = self._text, self._at
        if separator == "":
            while text[at : at + 1] == "\n":
                at += 1
        if at >= len(text):
            return None
        if len(separator) == 1:
            end = text.find(separator, at)
            after = end + 1
        else:
            match = compiled(separator or "\n\n+", extended=True).search(text, at)
            end, after = match.span() if match else (-1, 0)
        if end < 0:
            end = after = len(text)
            if separator != "\n" and text.endswith("\n") and separator == "":
                end -= 1
        self._at = after
        return text[at:end]


class Streams:
    """Files and commands that a program has opened.

    Args:
        session: Where it runs.

    Attributes:
        err: What the program has written to its error stream.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.err = ""
        self._out: list[str] = []
        self._reading: dict[str, Records] = {}
        self._codes: dict[str, int] = {}
        self._files: dict[str, None] = {}
        self._pipes: dict[str, list[str]] = {}

    @property
    def out(self) -> str:
        """What the program has written to its standard output."""
        if len(self._out) > 1:
            self._out = ["".join(self._out)]
        return self._out[0] if self._out else ""

    def put(self, text: str) -> None:
        """Write to the standard output."""
        allocate(len(text) + 60)
        self._out.append(text)

    def write(self, sign: str, name: str, text: str) -> str:
        """Write to a file or a command.

        Returns:
            Why it cannot be; empty when all is well.
        """
        if sign == "|":
            allocate(len(text) + 60)
            self._pipes.setdefault(name, []).append(text)
            return ""
        if name in ("/dev/stdout", "-"):
            self.put(text)
            return ""
        if name == "/dev/stderr":
            self.err += outwards(text)
            return ""
        files, path = self._session.files, self._session.path(outwards(name))
        fresh = sign == ">" and name not in self._files
        before = "" if fresh else files.read(path) or ""
        try:
            files.write(path, before + outwards(text))
        except FileError as error:
            return error.words
        self._files[name] = None
        return ""

    def file(self, name: str) -> Records | None:
        """A file that is read with `getline`; None when it cannot be."""
        if name not in self._reading:
            try:
                found = self._session.files.open(self._session.path(outwards(name)))
            except FileError:
                return None
            self._reading[name] = Records(inwards(found.text))
        return self._reading[name]

    def command(self, line: str) -> Records:
        """What a command writes, for `getline`."""
        if line not in self._reading:
            code, out = self._run(line, "")
            self._codes[line] = code
            self._reading[line] = Records(out)
        return self._reading[line]

    def system(self, line: str) -> int:
        """Run a command that writes where the program does."""
        self._flush()
        code, out = self._run(line, "")
        self.put(out)
        return code

    def close(self, name: str) -> int:
        """Close a file or a command; its code, or -1 when it was not open."""
        if name in self._pipes:
            return self._end(name)
        self._files.pop(name, None)
        if self._reading.pop(name, None) is None:
            return -1
        return self._codes.pop(name, 0)

    def end(self) -> None:
        """Close all that is open."""
        self._flush()

    def _flush(self) -> None:
        for name in list(self._pipes):
            self._end(name)

    def _end(self, name: str) -> int:
        code, out = self._run(name, "".join(self._pipes.pop(name)))
        self.put(out)
        return code

    def _run(self, line: str, stdin: str) -> tuple[int, str]:
        runner = self._session.runner
        if runner is None:
            return 0, ""
        result = runner(["sh", "-c", outwards(line)], outwards(stdin))
        self.err += result.err
        return result.code, inwards(result.out)


def parts(text: str, separator: str) -> list[str]:
    """A record's fields."""
    allocate(len(text))
    if separator == " ":
        return text.split()
    if not text:
        return []
    if separator == "":
        allocate(8 * len(text))
        return list(text)
    if len(separator) == 1 and separator != "\\":
        return text.split(separator)
    return compiled(separator, extended=True).split(text)
