"""`journalctl` of systemd 252."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.host import journal
from sregym_cluster_embedded.userland.host.units import full_name
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.host.journal import Entry
    from sregym_cluster_embedded.world import World

_VALUED = {
    "-u": "unit", "--unit": "unit", "-n": "lines", "--lines": "lines", "-S": "since",
    "--since": "since", "-U": "until", "--until": "until", "-p": "priority", "--priority": "priority",
    "-g": "grep", "--grep": "grep", "-o": "output", "--output": "output", "-t": "identifier",
    "--identifier": "identifier", "-b": "boot", "--boot": "boot",
}  # fmt: skip
_OPTIONAL = ("-n", "--lines", "-b", "--boot")
_PRIORITIES = {
    "emerg": 0, "alert": 1, "crit": 2, "err": 3, "error": 3, "warning": 4, "warn": 4, "notice": 5,
    "info": 6, "debug": 7,
}  # fmt: skip
_SPAN = re.compile(r"-?(\d+)\s*([a-z]+)(?:\s+ago)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")


class _Asked(NamedTuple):
    """A command line: options with values, letters of those without, fields to match."""

    values: dict[str, list[str]]
    letters: set[str]
    fields: tuple[str, ...]
    unknown: str = ""


def journalctl(session: Session, words: list[str], _stdin: str) -> Output:
    """Carry out `journalctl`."""
    asked = _asked(words[1:])
    if asked.unknown:
        return Output(1, "", f"journalctl: unrecognized option '{asked.unknown}'\n")
    world, node = session.world, session.process.config.node
    if "disk-usage" in asked.letters:
        return Output(0, "Archived and active journals take up 128.0M in the file system.\n")
    if asked.letters & {"vacuum", "rotate", "flush"}:
        return Output()
    entries = journal.journal_lines(world, node)
    wrong, chosen = _chosen(session, entries, asked)
    if wrong:
        return Output(1, "", wrong)
    if "list-boots" in asked.letters:
        return Output(0, _boots(world, entries))
    count = asked.values.get("lines", [""])[-1]
    if count or asked.letters & {"f", "e"}:
        wanted = int(count) if count.isdecimal() else 10 if "f" in asked.letters or count else 1000
        chosen = chosen[-wanted:] if wanted else []
    if "r" in asked.letters:
        chosen = chosen[::-1]
    if "f" in asked.letters:
        session.endless = True
        session.slept_s += 5.0
    if not chosen:
        return Output(0, "" if "q" in asked.letters else "-- No entries --\n")
    form = asked.values.get("output", ["short"])[-1]
    return Output(0, "".join(f"{format_line(world, node, one, form)}\n" for one in chosen))


def _asked(words: list[str]) -> _Asked:
    values: dict[str, list[str]] = {}
    letters: set[str] = set()
    fields: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            fields.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in _VALUED:
            optional = name in _OPTIONAL and not equals
            if (
                not equals
                and rest
                and not (optional and not re.fullmatch(r"\+?-?\d+|all", rest[0]))
            ):
                value = rest.pop(0)
            elif optional:
                value = "10" if _VALUED[name] == "lines" else "0"
            values.setdefault(_VALUED[name], []).append(value)
        elif word.startswith("--"):
            if name.removeprefix("--") not in _LONG:
                return _Asked(values, letters, (), word)
            letters.add(_LONG[name.removeprefix("--")])
        else:
            _bundled(word, rest, values, letters)
    return _Asked(values, letters, tuple(fields))


def _bundled(word: str, rest: list[str], values: dict[str, list[str]], letters: set[str]) -> None:
    """Options of one letter behind one dash: `-xeu kubelet`, `-n50`."""
    for place, letter in enumerate(word[1:], start=1):
        option = f"-{letter}"
        if option in _VALUED:
            value = word[place + 1 :]
            if (not value and rest and option not in _OPTIONAL) or (
                not value and rest and re.fullmatch(r"-?\d+", rest[0])
            ):
                value = rest.pop(0)
            values.setdefault(_VALUED[option], []).append(value or ("10" if letter == "n" else "0"))
            return
        letters.add(letter)


_LONG = {
    "no-pager": "P", "follow": "f", "dmesg": "k", "reverse": "r", "catalog": "x", "pager-end": "e",
    "all": "a", "quiet": "q", "no-tail": "T", "utc": "z", "no-hostname": "H", "no-full": "l",
    "full": "l", "list-boots": "list-boots", "disk-usage": "disk-usage", "rotate": "rotate",
    "vacuum-size": "vacuum", "vacuum-time": "vacuum", "vacuum-files": "vacuum", "flush": "flush",
    "system": "s", "merge": "m", "no-catalog": "X", "truncate-newline": "N", "case-sensitive": "C",
}  # fmt: skip


def _chosen(session: Session, entries: list[Entry], asked: _Asked) -> tuple[str, list[Entry]]:
    """What is wrong with a wish, or the entries that are wished for."""
    world = session.world
    units = {full_name(name) for name in asked.values.get("unit", ())}
    units |= {
        field.partition("=")[2] for field in asked.fields if field.startswith("_SYSTEMD_UNIT=")
    }
    pids = {field.partition("=")[2] for field in asked.fields if field.startswith("_PID=")}
    found = [
        one
        for one in entries
        if (not units or one.unit in units)
        and (not pids or str(one.pid) in pids)
        and ("k" not in asked.letters or one.identifier == "kernel")
    ]
    names = asked.values.get("identifier")
    if names:
        found = [one for one in found if one.identifier in names]
    for key, keeps in (("since", True), ("until", False)):
        for text in asked.values.get(key, ())[-1:]:
            moment = _moment(session, text)
            if moment is None:
                return f"Failed to parse timestamp: {text}\n", []
            at = moment - session.world.epoch
            found = [one for one in found if (one.at >= at) == keeps or (one.at == at)]
    for text in asked.values.get("priority", ())[-1:]:
        low, dots, high = text.partition("..")
        bounds = [_priority(low), _priority(high if dots else low)]
        if None in bounds:
            return f"Unknown log level {text}\n", []
        least = bounds[0] if dots else 0
        found = [one for one in found if (least or 0) <= one.priority <= (bounds[1] or 0)]
    for text in asked.values.get("grep", ())[-1:]:
        found = [one for one in found if _matches(text, one.text)]
    boot = asked.values.get("boot", ["0"])[-1]
    began = session.files.container.began - world.epoch
    if "boot" in asked.values and boot in ("0", ""):
        found = [one for one in found if one.at >= began]
    return "", found


def _matches(pattern: str, text: str) -> bool:
    """Whether a line holds words; a lower-case pattern does not mind the case."""
    subject = text if pattern != pattern.lower() else text.lower()
    return any(part in subject for part in pattern.split("|"))


def _priority(text: str) -> int | None:
    return int(text) if text.isdecimal() and int(text) < 8 else _PRIORITIES.get(text)


def _moment(session: Session, text: str) -> float | None:
    now = session.files.now
    when = datetime.fromtimestamp(now, UTC)
    text = text.strip()
    days = {"today": 0, "yesterday": -1, "tomorrow": 1}
    if text == "now":
        return now
    if text in days:
        midnight = when.replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight + timedelta(days=days[text])).timestamp()
    if re.fullmatch(r"@\d+", text):
        return float(text[1:])
    spans = _SPAN.findall(text)
    if spans and not re.match(r"\d{4}-", text):
        return now - sum(int(count) * _UNITS.get(unit[0], 1) for count, unit in spans)
    for form in _FORMS:
        try:
            return (
                datetime.strptime(text.removesuffix(" UTC"), form).replace(tzinfo=UTC).timestamp()
            )
        except ValueError:
            continue
    found = re.fullmatch(r"(\d{1,2}):(\d\d)(?::(\d\d))?", text)
    if found is None:
        return None
    hour, minute, second = (int(part or 0) for part in found.groups())
    if hour > 23 or minute > 59 or second > 59:
        return None
    return when.replace(hour=hour, minute=minute, second=second, microsecond=0).timestamp()


def format_line(world: World, node: str, entry: Entry, form: str = "short") -> str:
    """A line as `journalctl` prints it."""
    when = datetime.fromtimestamp(world.epoch + entry.at, UTC)
    name = entry.identifier + (f"[{entry.pid}]" if entry.pid else "")
    if form == "cat":
        return entry.text
    if form.startswith("json"):
        content = {
            "__REALTIME_TIMESTAMP": str(int((world.epoch + entry.at) * 1e6)), "_HOSTNAME": node,
            "PRIORITY": str(entry.priority), "SYSLOG_IDENTIFIER": entry.identifier,
            "_PID": str(entry.pid), "_SYSTEMD_UNIT": entry.unit, "MESSAGE": entry.text,
        }  # fmt: skip
        return json.dumps(content)
    stamp = f"{when:%b %d %H:%M:%S}"
    if form.startswith("short-iso"):
        stamp = f"{when:%Y-%m-%dT%H:%M:%S}+0000"
    elif form == "short-precise":
        stamp = f"{when:%b %d %H:%M:%S.%f}"
    elif form == "short-unix":
        stamp = f"{world.epoch + entry.at:.6f}"
    elif form == "short-full":
        stamp = f"{when:%a %Y-%m-%d %H:%M:%S} UTC"
    return f"{stamp} {node} {name}: {entry.text}"


def _boots(world: World, entries: list[Entry]) -> str:
    if not entries:
        return ""
    first, last = (
        datetime.fromtimestamp(world.epoch + at, UTC) for at in (entries[0].at, world.now)
    )
    form = "%a %Y-%m-%d %H:%M:%S UTC"
    return f" 0 {'0' * 32} {first:{form}}—{last:{form}}\n"


JOURNAL_COMMANDS: dict[str, Command] = {"journalctl": journalctl}
