"""`awk`: its command line."""

from __future__ import annotations

import re

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.awk_parsing import AwkSyntaxError, Parser
from sregym_cluster_embedded.userland.shell.awk_running import Awk
from sregym_cluster_embedded.userland.shell.patterns import PatternError
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.wording import complaint


def _awk(session: Session, words: list[str], stdin: str) -> Output:
    given: dict[str, str] = {}
    index, program = 1, ""
    while index < len(words) and words[index].startswith("-") and len(words[index]) > 1:
        word = words[index]
        index += 1
        if word == "--":
            break
        value = word[2:]
        if not value and index < len(words):
            value, index = words[index], index + 1
        if word.startswith("-F"):
            given["FS"] = value.replace("\\t", "\t") if value != "t" else "\t"
        elif word.startswith("-v"):
            name, _, text = value.partition("=")
            given[name] = text
        elif word.startswith("-f"):
            found = session.files.read(session.path(value))
            if found is None:
                why = "No such file or directory"
                if session.busybox:
                    return Output(1, "", f"awk: can't open '{value}': {why}\n")
                return Output(2, "", f"awk: cannot open {value} ({why})\n")
            program = found
    if not program:
        if index >= len(words):
            return Output(1, "", "usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]\n")
        program, index = words[index], index + 1
    texts, err = [], ""
    for name in words[index:]:
        if re.fullmatch(r"[A-Za-z_]\w*=.*", name):
            key, _, text = name.partition("=")
            given[key] = text
            continue
        try:
            texts.append(session.files.open(session.path(name)).text if name != "-" else stdin)
        except FileError as error:
            err += complaint(session, "awk", "open", name, error)
    files = [name for name in words[index:] if "=" not in name]
    source = "".join(texts) if files else stdin
    try:
        awk = Awk(session, Parser(program).rules(), given)
        awk.run(source.splitlines())
    except (AwkSyntaxError, PatternError) as error:
        head = "awk: cmd. line:1: " if session.busybox else "awk: line 1: "
        if str(error).endswith("end of file"):
            if session.busybox:
                return Output(1, "", f"{head}Unexpected token\n")
            return Output(2, "", "awk: line 2: missing } near end of file\n")
        return Output(1 if session.busybox else 2, "", f"{head}{error}\n")
    return Output(2 if err else awk.code, awk.out, err)


AWK_COMMANDS: dict[str, Command] = {"awk": _awk, "mawk": _awk}
