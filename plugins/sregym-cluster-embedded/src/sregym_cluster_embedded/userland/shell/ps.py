"""`ps` of procps."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.userland.command_counts import scheduled
from sregym_cluster_embedded.userland.files.machine import memory_kib
from sregym_cluster_embedded.userland.files.tasks import entered, of_a_thread
from sregym_cluster_embedded.userland.host.contention import percent_of
from sregym_cluster_embedded.userland.jobs import jobs_of
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.identity import user_name
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.tasks import Task

# Name -> title, width, and whether the values stand at the right.
_COLUMNS: dict[str, tuple[str, int, bool]] = {
    "pid": ("PID", 7, True), "ppid": ("PPID", 7, True), "tid": ("TID", 7, True),
    "lwp": ("LWP", 7, True), "pgid": ("PGID", 7, True), "sid": ("SID", 7, True),
    "user": ("USER", 8, False), "euser": ("EUSER", 8, False), "uid": ("UID", 5, True),
    "group": ("GROUP", 8, False), "gid": ("GID", 5, True), "%cpu": ("%CPU", 4, True),
    "%mem": ("%MEM", 4, True), "vsz": ("VSZ", 6, True), "rss": ("RSS", 5, True),
    "tty": ("TT", 8, False), "stat": ("STAT", 4, False), "s": ("S", 1, False),
    "start": ("STARTED", 8, True), "stime": ("STIME", 5, False), "time": ("TIME", 8, True),
    "bsdtime": ("TIME", 6, True), "etime": ("ELAPSED", 11, True), "etimes": ("ELAPSED", 7, True),
    "lstart": ("STARTED", 24, True), "comm": ("COMMAND", 15, False), "ucmd": ("CMD", 15, False),
    "args": ("COMMAND", 27, False), "cmd": ("CMD", 27, False), "nlwp": ("NLWP", 4, True),
    "ni": ("NI", 3, True), "pri": ("PRI", 3, True), "psr": ("PSR", 3, True), "c": ("C", 2, True),
    "wchan": ("WCHAN", 6, False), "cls": ("CLS", 3, True), "sz": ("SZ", 5, True),
    "size": ("SIZE", 5, True), "f": ("F", 1, False), "uname": ("USER", 8, False),
}  # fmt: skip
_SAME = {
    "pcpu": "%cpu", "pmem": "%mem", "command": "args", "state": "s", "tt": "tty", "tname": "tty",
    "vsize": "vsz", "rssize": "rss", "cputime": "time", "start_time": "stime", "nice": "ni",
    "thcount": "nlwp", "spid": "tid", "ruser": "user", "egroup": "group", "pgrp": "pgid",
    "sess": "sid", "session": "sid", "ucomm": "comm", "rss_": "rss",
}  # fmt: skip
_FULL = ("uid_", "pid", "ppid", "c", "stime", "tty_", "time", "cmd")
_USER = ("user", "pid", "%cpu", "%mem", "vsz", "rss", "tty_", "stat", "stime_", "bsdtime", "args")
_PLAIN = ("pid", "tty_", "time", "comm_")
_LONG = ("f", "s", "uid", "pid", "ppid", "c", "pri", "ni", "sz", "wchan", "tty_", "time", "comm_")
# The same under other titles, in the formats that have a letter.
_COLUMNS |= {
    "uid_": ("UID", 8, False), "tty_": ("TTY", 8, False), "stime_": ("START", 5, False),
    "comm_": ("CMD", 15, False),
}  # fmt: skip
_USAGE = """
Usage:
 ps [options]

 Try 'ps --help <simple|list|output|threads|misc|all>'
  or 'ps --help <s|l|o|t|m|a>'
 for additional help text.

For more details see ps(1).
"""
_USER_WIDTH = 8
_TEXTS = ("args", "cmd", "comm", "comm_", "ucmd")


class Used(NamedTuple):
    """Processor time of a process: seconds, and percent of one processor on average and now."""

    seconds: float
    mean: float
    now: float

    @property
    def minutes(self) -> str:
        """As `ps u` shows the time."""
        return f"{int(self.seconds) // 60}:{int(self.seconds) % 60:02d}"

    @property
    def hours(self) -> str:
        """As `ps` shows it."""
        whole = int(self.seconds)
        return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"

    @property
    def exact(self) -> str:
        """As `top` shows it."""
        return f"{int(self.seconds) // 60}:{self.seconds % 60:05.2f}"


def used_by(session: Session, task: Task) -> Used:
    """What a process has used: the main one what metrics and `kubectl top` have, others next to nothing."""
    if task.cores and not is_main(session, task):
        seconds = task.cores * (session.world.now - task.started_at)
        return Used(seconds, 100 * task.cores, 100 * task.cores)
    if not is_main(session, task):
        now = percent_of(session.world, session.process.config.node, task.unit)
        seconds = now / 100 * (session.world.now - task.started_at)
        return Used(seconds, now, now)
    process, world = task.process or session.process, session.world
    if process_of(world, process.ref) is None:
        return Used(0.0, 0.0, 0.0)
    seconds = scheduled(world, process.ref).cpu_s
    age = max(1.0, world.now - process.started_at)
    service = world.service_or_none(USAGE)
    shares = [] if service is None else service.containers(world, process.ref.pod_uid)
    now = sum(one.cpu_nanocores for one in shares if one.name == process.ref.name) / 1e7
    each = of_a_thread(world, process)
    for job in jobs_of(world, process.ref):
        now -= 100 * each * job.threads
        seconds -= each * job.threads * (world.now - job.started_at)
    now, seconds = max(now, 0.0), max(seconds, 0.0)
    return Used(seconds, 100 * seconds / age, now)


def is_main(session: Session, task: Task) -> bool:
    """Whether a process is the container's own, or that of a container that is seen from outside."""
    if task.process is not None:
        return True
    if task.unit or task.uid is not None:
        return False
    argv = entered(session.runtime, session.process, session.image.cmd)
    name = argv[0].rpartition("/")[2]
    own = task.name in (name, session.process.argv[0].rpartition("/")[2])
    return task.parent == 0 and task.pid != session.pid and own


@dataclass
class _Asked:
    """A command line.

    Attributes:
        columns: (name, title); a title that was given replaces the usual one.
        pids: Those that are to be shown; none: no such choice.
        names: Names of executables that are.
        headless: Whether the titles are left out.
        sort: (column, whether the largest comes first).
    """

    columns: list[tuple[str, str | None]] = field(default_factory=list)
    pids: list[str] | None = None
    names: list[str] | None = None
    headless: bool = False
    sort: list[tuple[str, bool]] = field(default_factory=list)
    letters: str = ""
    everything: bool = False
    mistake: str = ""


def ps(session: Session, words: list[str], found: list[Task]) -> Output:
    """Carry out `ps` over these processes."""
    if words[1:2] in (["--version"], ["-V"]):
        return Output(0, "ps from procps-ng 4.0.2\n")
    asked = _asked(words[1:])
    if asked.mistake:
        return Output(1, "", f"error: {asked.mistake}\n{_USAGE}")
    shown = found
    if asked.pids is not None or asked.names is not None:
        pids, names = asked.pids or [], asked.names or []
        shown = [task for task in found if str(task.pid) in pids or task.name in names]
    rows = [(task, _values(session, task)) for task in shown]
    for column, largest in reversed(asked.sort):
        rows.sort(key=lambda row: _key(row[1].get(column, "")), reverse=largest)
    columns = asked.columns or [(name, None) for name in _format(asked.letters)]
    titles = [_COLUMNS[name][0] if title is None else title for name, title in columns]
    out = "" if asked.headless or not any(titles) else _row(columns, titles)
    out += "".join(_row(columns, [values[name] for name, _ in columns]) for _, values in rows)
    return Output(0 if rows else 1, out)


def _format(letters: str) -> tuple[str, ...]:
    if "u" in letters:
        return _USER
    if "f" in letters or "F" in letters:
        return _FULL if "L" not in letters else (*_FULL[:3], "lwp", "c", "nlwp", *_FULL[4:])
    return _LONG if "l" in letters else _PLAIN


def _key(text: str) -> tuple[float, str]:
    try:
        return float(text), ""
    except ValueError:
        return 0.0, text


def _row(columns: list[tuple[str, str | None]], cells: list[str]) -> str:
    out = []
    for number, ((name, _), cell) in enumerate(zip(columns, cells, strict=True), start=1):
        _, width, right = _COLUMNS[name]
        if right:
            out.append(f"{cell:>{width}}")
        else:
            out.append(cell if number == len(columns) else f"{cell:<{width}}")
    return " ".join(out) + "\n"


def _asked(words: list[str]) -> _Asked:
    asked, index = _Asked(), 0
    while index < len(words):
        word = words[index]
        index += 1
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in ("sort", "pid", "ppid", "user", "format") and not equals:
                value, index = (words[index] if index < len(words) else ""), index + 1
            _long(asked, name, value)
            continue
        letters = word.removeprefix("-")
        for place, letter in enumerate(letters):
            if letter.isdecimal():
                asked.pids = [*(asked.pids or []), *letters[place:].split(",")]
                break
            if letter not in "opCuUGtgqkO" or (letter == "u" and not word.startswith("-")):
                asked.letters += letter
                continue
            value = letters[place + 1 :]
            if not value:
                value, index = (words[index] if index < len(words) else ""), index + 1
            _valued(asked, letter, value)
            break
    return asked


def _valued(asked: _Asked, letter: str, value: str) -> None:
    if letter == "o":
        _choose(asked, value)
    elif letter == "O":
        _choose(asked, f"pid,{value},s,tty,time,args")
    elif letter in "pq":
        if not value:
            asked.mistake = f"List of process IDs must follow -{letter}."
        asked.pids = [*(asked.pids or []), *value.replace(" ", ",").split(",")]
    elif letter == "C":
        asked.names = [*(asked.names or []), *value.split(",")]
    elif letter == "k":
        _long(asked, "sort", value)


def _long(asked: _Asked, name: str, value: str) -> None:
    if name in ("no-headers", "no-headings", "noheaders"):
        asked.headless = True
    elif name == "sort":
        for part in value.split(","):
            column = part.lstrip("+-")
            asked.sort.append((_SAME.get(column, column), part.startswith("-")))
    elif name == "pid":
        asked.pids = [*(asked.pids or []), *value.split(",")]
    elif name == "format":
        _choose(asked, value)
    elif name not in (
        "forest",
        "deselect",
        "headers",
        "cols",
        "width",
        "user",
        "ppid",
        "cumulative",
    ):
        asked.mistake = "unknown gnu long option"


def _choose(asked: _Asked, text: str) -> None:
    """The columns of `-o`; behind `=` stands a title, up to the end."""
    while text:
        name, mark, rest = text.partition("=")
        if mark and "," not in name and " " not in name:
            column, title, text = name, rest, ""
            if "," in rest and rest.startswith(","):
                title, text = "", rest[1:]
        else:
            column, _, text = text.replace(" ", ",").partition(",")
            title = None
        width = column.partition(":")[0]
        known = _SAME.get(width, width)
        if known not in _COLUMNS:
            asked.mistake = f'unknown user-defined format specifier "{width}"'
            return
        if column:
            asked.columns.append((known, title))


def _values(session: Session, task: Task) -> dict[str, str]:
    """What the columns show of a process."""
    rights, used = session.rights, used_by(session, task)
    number = rights.uid if task.uid is None else task.uid
    user = user_name(session, number) or str(number)
    user = user if len(user) <= _USER_WIDTH else f"{user[: _USER_WIDTH - 1]}+"
    total = memory_kib(session.files.container)
    began = task.started_at or session.process.started_at
    age = max(0, int(session.world.now - began))
    when = datetime.fromtimestamp(session.world.epoch + began, UTC)
    line, name = " ".join(task.argv) or f"[{task.name}]", task.name[:15]
    days, rest = divmod(age, 86400)
    clock = f"{rest // 60 % 60:02d}:{rest % 60:02d}"
    hours = f"{rest // 3600:02d}:" if rest >= 3600 or days else ""
    short = f"{when:%H:%M}" if age < 86400 else f"{when:%b%d}"
    memory = str(task.memory_kib + 2048 if task.memory_kib else 0)
    return {
        "pid": str(task.pid), "ppid": str(task.parent), "tid": str(task.pid), "lwp": str(task.pid),
        "pgid": str(task.pid), "sid": str(task.pid), "user": user, "euser": user, "uname": user,
        "uid_": user, "uid": str(number), "group": user, "gid": str(rights.gid),
        "%cpu": f"{used.mean:.1f}", "%mem": f"{task.memory_kib * 100 / total:.1f}",
        "vsz": memory, "rss": str(task.memory_kib), "tty": "?", "tty_": "?",
        "stat": f"{task.state}s", "s": task.state, "start": f"{when:%H:%M:%S}", "stime": short,
        "stime_": short, "time": used.hours, "bsdtime": used.minutes,
        "etime": f"{f'{days}-' if days else ''}{hours}{clock}", "etimes": str(age),
        "lstart": f"{when:%a %b} {when.day:>2} {when:%H:%M:%S %Y}", "comm": name, "comm_": name,
        "ucmd": name, "args": line, "cmd": line, "nlwp": "1", "ni": "0", "pri": "19", "psr": "0",
        "c": str(int(used.mean)), "wchan": "-", "cls": "TS", "sz": str(int(memory) // 4),
        "size": str(task.memory_kib // 2), "f": "4",
    }  # fmt: skip
