"""Error texts of commands for unknown options, and for too few or too many operands.

Which options a command has stands in `getopt.json`: for the commands of BusyBox and for those of
GNU, as those programs tell when they are asked.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.versions import banner

# Where the first operand ends the options: what follows belongs to another command.
_WRAPPERS = ("awk", "env", "seq", "time", "timeout", "xargs")
# Options of the fuller build of BusyBox, which the recorded one lacks.
_FULLER = {"sort": "h", "free": "t", "date": "", "top": "", "xargs": "", "nproc": ""}
# Where these options are given, the pattern, the program or the task is no operand.
_SCRIPTED = {"awk": "ef", "egrep": "ef", "fgrep": "ef", "grep": "ef", "sed": "ef", "tar": "ctx"}


class _Read(NamedTuple):
    """A command line as getopt reads it.

    Attributes:
        letters: Options that were found.
        operands: What is none.
        mistake: The complaint about an option.
    """

    letters: str
    operands: list[str]
    mistake: str = ""


@lru_cache(maxsize=1)
def _known() -> dict[str, dict[str, dict[str, Any]]]:
    text = files(__package__).joinpath("getopt.json").read_text()
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(text)
    return found


def refusal(session: Session, words: list[str]) -> Output | None:
    """What a command ends with at once when its command line is not to be read; None when it is.

    Args:
        session: The session with the flavour of commands.
        words: The command line, the command's name first.
    """
    name = words[0].rpartition("/")[2]
    busybox = session.is_busybox(name)
    about = _known()["busybox" if busybox else "gnu"].get(name)
    if about is None or session.flavour == "none":
        return None
    if busybox:
        return _by_busybox(session, name, about, words)
    return _by_gnu(name, about, words)


def usage_of(session: Session, name: str) -> str:
    """What a command of BusyBox says of its use; empty for others."""
    about = _known()["busybox"].get(name) if session.busybox else None
    return "" if about is None else f"{banner(session.flavour)}\n\n{about['usage']}"


def _by_busybox(
    session: Session, name: str, about: dict[str, Any], words: list[str]
) -> Output | None:
    usage = usage_of(session, name)
    if words[1:] == ["--help"]:
        return Output(0, "", usage)
    if name == "sed" and "--version" in words:
        return None
    fuller = _FULLER.get(name, "") if session.flavour == "alpine" else ""
    read = _read(name, about, words, fuller)
    if read.mistake:
        head = "" if name == "free" else f"{name}: {read.mistake}\n"
        return Output(about["code"], "", head + usage)
    if session.flavour == "alpine" and name in ("id", "basename", "dirname"):
        return None
    if not _enough(name, about, read):
        return Output(2 if name.endswith("grep") else 1, "", usage)
    return None


def _by_gnu(name: str, about: dict[str, Any], words: list[str]) -> Output | None:
    if any(word.startswith("--") and len(word) > 2 for word in words):
        return None
    read = _read(name, about, words)
    code, hint = about["code"], f"Try '{name} --help' for more information.\n"
    if read.mistake:
        usage = "Usage: grep [OPTION]... PATTERNS [FILE]...\n" if name == "grep" else ""
        return Output(code, "", f"{name}: {read.mistake}\n{usage}{hint}")
    missing = f"{name}: missing {about.get('noun', 'operand')}"
    if not _enough(name, about, read) and len(read.operands) < about["least"]:
        if name == "timeout":
            return Output(code, "", hint)
        if not read.operands:
            return Output(code, "", f"{missing}\n{hint}")
        missing = missing.replace("file operand", "destination file operand")
        return Output(code, "", f"{missing} after '{read.operands[0]}'\n{hint}")
    if name == "tr" and len(read.operands) == 1 and not set("ds") & set(read.letters):
        more = "Two strings must be given when translating.\n"
        return Output(code, "", f"{missing} after '{read.operands[0]}'\n{more}{hint}")
    if 0 <= about["most"] < len(read.operands) and not set("as") & set(read.letters):
        extra = read.operands[about["most"]]
        return Output(code, "", f"{name}: extra operand '{extra}'\n{hint}")
    return None


def _enough(name: str, about: dict[str, Any], read: _Read) -> bool:
    least, most = int(about["least"]), int(about["most"])
    found = len(read.operands)
    if set(_SCRIPTED.get(name, "")) & set(read.letters):
        return True
    if name in ("cp", "mv") and "t" in read.letters:
        least = 1
    if name == "rm" and "f" in read.letters:
        least = 0
    if name == "basename" and set("as") & set(read.letters):
        most = -1
    if name == "seq" and not all(re.fullmatch(r"[-+.\deE]+", word) for word in read.operands):
        return False
    if name == "truncate" and "s" not in read.letters:
        return False
    if name == "shuf" and "e" in read.letters:
        most = -1
    return found >= least and (most < 0 or found <= most)


def _read(name: str, about: dict[str, Any], words: list[str], fuller: str = "") -> _Read:
    """Take a command line apart; commands without known letters have operands only."""
    letters, valued = about.get("letters"), about.get("valued", "")
    found, operands, at = "", [], 1
    if letters is None:
        return _Read("", [word for word in words[1:] if word != "--"])
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            if name in _WRAPPERS:
                operands += words[at:]
                break
            continue
        if word.startswith("--"):
            long = word[2:].partition("=")[0]
            known = about.get("longs", ())
            if not any(each.startswith(long) for each in known):
                return _Read(found, operands, f"unrecognized option '{word}'")
            found += _LONG.get(long, "")
            continue
        for place, letter in enumerate(word[1:], start=1):
            found += letter
            if letter in valued:
                if not word[place + 1 :] and letter not in about["attached"]:
                    at += 1
                    if at > len(words):
                        why = f"option requires an argument -- '{letter}'"
                        return _Read(found, operands, why)
                break
            if letter not in letters and letter not in fuller:
                return _Read(found, operands, f"invalid option -- '{letter}'")
    return _Read(found, operands)


# Long options that stand for one that counts here.
_LONG = {"expression": "e", "file": "f", "force": "f", "target-directory": "t"}
