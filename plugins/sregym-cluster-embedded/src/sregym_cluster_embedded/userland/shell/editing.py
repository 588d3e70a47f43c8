"""`sed`: addresses, the usual commands, in place or on a stream."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.patterns import PatternError, compiled
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.wording import complaint

_STEPS = 100_000


class _ScriptError(ValueError):
    """The script cannot be understood."""


@dataclass
class _Command:
    name: str
    first: str = ""
    last: str = ""
    negated: bool = False
    text: str = ""
    pattern: re.Pattern[str] | None = None
    new: str = ""
    flags: str = ""
    block: list[_Command] = field(default_factory=list)
    active: bool = False


class _Reader:
    """Reads a script."""

    def __init__(self, text: str, *, extended: bool, busybox: bool) -> None:
        self.text = text
        self.busybox = busybox
        self.at = 0
        self.extended = extended

    def commands(self, *, inside: bool = False) -> list[_Command]:
        found: list[_Command] = []
        while True:
            while self.at < len(self.text) and self.text[self.at] in "; \t\n":
                self.at += 1
            if self.at >= len(self.text):
                if inside and not self.busybox:
                    raise _ScriptError("unmatched `{'")
                return found
            if self.text[self.at] == "}":
                self.at += 1
                return found
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
                continue
            found.append(self._command())

    def _command(self) -> _Command:
        command = _Command("")
        command.first = self._address()
        if command.first and self.text[self.at : self.at + 1] == ",":
            self.at += 1
            command.last = self._address()
        while self.text[self.at : self.at + 1] in (" ", "!"):
            command.negated = command.negated or self.text[self.at] == "!"
            self.at += 1
        if self.at >= len(self.text):
            raise _ScriptError("missing command")
        command.name = self.text[self.at]
        self.at += 1
        if command.name == "{":
            command.block = self.commands(inside=True)
        elif command.name in "sy":
            self._substitution(command)
        elif command.name in "aic":
            rest = self._rest("\n")
            command.text = re.sub(r"^\s*\\?\n?\s*", "", rest, count=1)
        elif command.name in ":btrw":
            command.text = self._rest(";\n}").strip()
        elif command.name not in "pdqQnNgGhHxDP=l":
            if self.busybox:
                raise _ScriptError(f"unsupported command {command.name}")
            raise _ScriptError(f"unknown command: `{command.name}'")
        elif command.name in "qQ":
            command.text = self._rest(";\n}").strip()
        elif (rest := self._rest(";\n}").strip()) and not self.busybox:
            raise _ScriptError("extra characters after command")
        return command

    def _address(self) -> str:
        char = self.text[self.at : self.at + 1]
        if char == "/":
            end = self.at + 1
            while end < len(self.text) and self.text[end] != "/":
                end += 2 if self.text[end] == "\\" else 1
            found = self.text[self.at : end]
            self.at = end + 1
            return found.replace("\\/", "/")
        match = re.compile(r"\d+~\d+|\+?\d+|\$").match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match.group()

    def _rest(self, ends: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self.at += 1
        return self.text[start : self.at]

    def _substitution(self, command: _Command) -> None:
        mark = self.text[self.at : self.at + 1]
        parts: list[str] = []
        present, index = "", self.at + 1
        while index < len(self.text) and len(parts) < 2:
            char = self.text[index]
            if char == "\\" and index + 1 < len(self.text):
                follow = self.text[index + 1]
                present += follow if follow == mark and mark not in "|()" else char + follow
                index += 2
                continue
            if char == mark:
                parts.append(present)
                present = ""
            else:
                present += char
            index += 1
        if len(parts) < 2:
            if self.busybox:
                raise _ScriptError(f"unmatched '{mark}'")
            raise _ScriptError(f"unterminated `{command.name}' command")
        self.at = index
        command.flags = self._rest(";\n} ")
        if command.name == "y":
            command.text, command.new = parts
            return
        if not re.fullmatch(r"[gpiIewmM\d]*", command.flags.partition("w")[0]):
            if self.busybox:
                raise _ScriptError("bad option in substitution expression")
            raise _ScriptError("unknown option to `s'")
        ignore = "i" in command.flags.lower()
        command.pattern = compiled(parts[0], extended=self.extended, ignore_case=ignore)
        command.new = parts[1]


class _Editor:
    """Runs a script over lines."""

    def __init__(self, commands: list[_Command], *, quiet: bool, extended: bool) -> None:
        self.commands = commands
        self.quiet = quiet
        self.extended = extended
        self.hold = ""
        self.code = 0

    def run(self, text: str) -> str:
        self.lines = text.split("\n")
        tail = self.lines.pop() if text.endswith("\n") or not text else None
        self.number, self.out, self.ended = 0, "", False
        steps = 0
        while self.lines and not self.ended:
            self.space = self.lines.pop(0)
            self.number += 1
            self.appended = ""
            steps += 1
            if self._carry_out(self.commands) != "d" and not self.quiet:
                self.out += f"{self.space}\n"
            self.out += self.appended
            if steps > _STEPS:
                break
        if tail is None and self.out.endswith("\n") and not self.ended:
            return self.out[:-1]
        return self.out

    def _carry_out(self, commands: list[_Command]) -> str:
        for command in commands:
            if self._applies(command) == command.negated:
                continue
            result = self._carry_out(command.block) if command.name == "{" else self._one(command)
            if result:
                return result
        return ""

    def _applies(self, command: _Command) -> bool:
        if not command.first:
            return True
        if not command.last:
            return self._at(command.first)
        if command.active:
            if command.last.isdecimal():
                command.active = self.number < int(command.last)
                return self.number <= int(command.last)
            command.active = not self._at(command.last)
            return True
        if not self._at(command.first):
            return False
        if command.last.startswith("+"):
            command.last = str(self.number + int(command.last[1:]))
        command.active = not (command.last.isdecimal() and int(command.last) <= self.number)
        if command.last == "$":
            command.active = bool(self.lines)
        return True

    def _at(self, address: str) -> bool:
        if address == "$":
            return not self.lines
        if "~" in address and not address.startswith("/"):
            first, step = map(int, address.split("~"))
            return self.number >= first and (self.number - first) % (step or 1) == 0
        if address.isdecimal():
            return self.number == int(address)
        return compiled(address[1:], extended=self.extended).search(self.space) is not None

    def _one(self, command: _Command) -> str:
        name = command.name
        if name == "s":
            return self._substitute(command)
        if name == "p":
            self.out += f"{self.space}\n"
        elif name in "dD":
            return "d"
        elif name in "qQ":
            self.ended = True
            self.code = int(command.text) if command.text.isdecimal() else 0
            return "d" if name == "Q" else "q"
        elif name == "a":
            self.appended += f"{command.text}\n"
        elif name == "i":
            self.out += f"{command.text}\n"
        elif name == "c":
            self.out += f"{command.text}\n" if not command.active else ""
            return "d"
        elif name == "=":
            self.out += f"{self.number}\n"
        elif name == "y":
            self.space = self.space.translate(str.maketrans(command.text, command.new))
        elif name in "nN":
            return self._next(name)
        elif name == "P":
            self.out += self.space.split("\n")[0] + "\n"
        elif name == "h":
            self.hold = self.space
        elif name == "H":
            self.hold += f"\n{self.space}"
        elif name == "g":
            self.space = self.hold
        elif name == "G":
            self.space += f"\n{self.hold}"
        elif name == "x":
            self.space, self.hold = self.hold, self.space
        return ""

    def _next(self, name: str) -> str:
        if not self.lines:
            return "" if name == "N" else "q"
        line = self.lines.pop(0)
        self.number += 1
        if name == "N":
            self.space += f"\n{line}"
        else:
            self.out += "" if self.quiet else f"{self.space}\n"
            self.space = line
        return ""

    def _substitute(self, command: _Command) -> str:
        pattern = command.pattern
        if pattern is None:
            return ""
        digits = re.sub(r"\D", "", command.flags)
        wanted, every, count = int(digits or 1), "g" in command.flags, 0

        def replaced(match: re.Match[str]) -> str:
            nonlocal count
            count += 1
            if count < wanted or (count > wanted and not every):
                return match.group()
            return _filled(command.new, match)

        self.space = pattern.sub(replaced, self.space)
        if count >= wanted and "p" in command.flags:
            self.out += f"{self.space}\n"
        return ""


def _filled(new: str, match: re.Match[str]) -> str:
    def part(found: re.Match[str]) -> str:
        text = found.group()
        if text == "&":
            return match.group()
        if text[1].isdigit():
            number = int(text[1])
            return (match.group(number) or "") if number <= (match.re.groups or 0) else ""
        return {"n": "\n", "t": "\t"}.get(text[1], text[1])

    return re.sub(r"&|\\(?:.|\n)", part, new)


def _sed(session: Session, words: list[str], stdin: str) -> Output:
    scripts, files, quiet, extended, inplace = [], [], False, False, False
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("-e", "--expression", "-f", "--file") and index < len(words):
            text = words[index]
            index += 1
            scripts.append(
                (session.files.read(session.path(text)) or "") if word[1] == "f" else text
            )
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word.startswith("-i") or word.startswith("--in-place"):
            inplace = True
        elif word.startswith("-") and len(word) > 1:
            quiet = quiet or "n" in word[1:]
            extended = extended or bool({"E", "r"} & set(word[1:]))
            inplace = inplace or "i" in word[1:]
        else:
            files.append(word)
    if words[1:2] == ["--version"]:
        about = "This is not GNU sed version 4.0\n" if session.busybox else "sed (GNU sed) 4.9\n"
        return Output(0, about)
    if not scripts:
        if not files:
            return Output(
                1, "", "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n"
            )
        scripts.append(files.pop(0))
    reader = _Reader("\n".join(scripts), extended=extended, busybox=session.busybox)
    try:
        commands = reader.commands()
    except (_ScriptError, PatternError) as error:
        # GNU counts the characters up to where it gave up.
        head = "sed: " if session.busybox else f"sed: -e expression #1, char {reader.at}: "
        return Output(1, "", f"{head}{error}\n")
    editor = _Editor(commands, quiet=quiet, extended=extended)
    if not files:
        return Output(editor.code, editor.run(stdin))
    texts, err = [], ""
    for name in files:
        path = session.path(name)
        try:
            text = session.files.open(path).text
            if inplace:
                session.files.write(path, editor.run(text))
            texts.append(text)
        except FileError as error:
            if error.words == "Read-only file system" or (inplace and session.files.stat(path)):
                err += f"sed: couldn't open temporary file ./sedXXXXXX: {error.words}\n"
            else:
                err += complaint(session, "sed", "open", name, error)
    if inplace:
        return Output(1 if err else 0, "", err)
    out = editor.run("".join(texts))
    return Output((1 if session.busybox else 2) if err else editor.code, out, err)


EDITING_COMMANDS: dict[str, Command] = {"sed": _sed}
