"""Commands about processes and memory: ps, top, kill, pgrep, free, lsof, dmesg, sysctl."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_regex.posix import PatternError, compiled

from sregym_cluster_embedded.userland.files.kernel import kernel_paths, kernel_text
from sregym_cluster_embedded.userland.files.machine import (
    cpus,
    idle_percent,
    load_averages,
    memory_kib,
    used_memory_kib,
)
from sregym_cluster_embedded.userland.files.tasks import Task, tasks
from sregym_cluster_embedded.userland.host.observed import DMESG
from sregym_cluster_embedded.userland.jobs import Job, end_job, jobs_of
from sregym_cluster_embedded.userland.life import end, stop
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.identity import user_name
from sregym_cluster_embedded.userland.shell.options import human, options
from sregym_cluster_embedded.userland.shell.ps import is_main, ps, used_by
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.signalling import NUMBERS, send_to_main, signal_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process

_KILL, _HUP, _CONT, _STOP = 9, 1, 18, 19
# Those that end no process in the background: none, INT, CHLD, CONT, STOP.
_HARMLESS = (0, 2, 17, 18, 19)


def session_tasks(session: Session, words: list[str]) -> list[Task]:
    """The container's processes, and the command that asks."""
    others = tasks(session.files.container)
    pid = session.pid if session.pid > 1 else max(task.pid for task in others) + 1
    name = words[0].rpartition("/")[2]
    own = Task(pid, 0, name, tuple(words), "R", started_at=session.world.now)
    return [*others, own]


def _ps(session: Session, words: list[str], _stdin: str) -> Output:
    found = session_tasks(session, words)
    if not session.busybox:
        return ps(session, words, found)
    user = user_name(session, session.rights.uid) or str(session.rights.uid)
    at = next((i for i, word in enumerate(words) if word in ("-o", "-eo", "o")), 0)
    if at and at + 1 < len(words):
        return _columns(session, found, user, words[at + 1])
    body = "".join(f"{task.pid:>5} {user:<8.8} {_shown(task)}\n" for task in found)
    return Output(0, f"PID   USER     COMMAND\n{body}")


def _shown(task: Task) -> str:
    """A command line as BusyBox shows it: with the name of the script in braces."""
    line = " ".join(task.argv)
    first = task.argv[0].rpartition("/")[2] if task.argv else ""
    return line if task.name == first else f"{{{task.name[:15]}}} {line}"


_COLUMNS = {
    "pid": ("PID", 5), "ppid": ("PPID", 5), "user": ("USER", -8), "comm": ("COMMAND", -15),
    "args": ("COMMAND", 0), "cmd": ("CMD", 0), "stat": ("STAT", -4), "rss": ("RSS", 5),
    "vsz": ("VSZ", 6), "etime": ("ELAPSED", 11), "pcpu": ("%CPU", 4), "pmem": ("%MEM", 4),
    "time": ("TIME", 8), "%cpu": ("%CPU", 4), "%mem": ("%MEM", 4), "nlwp": ("NLWP", 4), "s": ("S", 1),
}  # fmt: skip


def _columns(session: Session, found: list[Task], user: str, wanted: str) -> Output:
    names = [name for name in wanted.split(",") if name in _COLUMNS]
    if not names:
        return Output(1, "", f"ps: bad -o argument '{wanted}'\n")
    total = memory_kib(session.files.container)
    rows = [[_COLUMNS[name][0] for name in names]]
    for task in found:
        age = int(session.world.now - (task.started_at or session.process.started_at))
        values = {
            "pid": str(task.pid), "ppid": str(task.parent), "user": user, "comm": task.name[:15],
            "args": " ".join(task.argv), "cmd": " ".join(task.argv), "stat": f"{task.state}s",
            "rss": str(task.memory_kib), "vsz": str(task.memory_kib + 2048), "nlwp": "1",
            "etime": f"{age // 60:02d}:{age % 60:02d}",
            "pcpu": f"{used_by(session, task).mean:.1f}", "%cpu": f"{used_by(session, task).mean:.1f}",
            "time": used_by(session, task).hours,
            "pmem": f"{task.memory_kib * 100 / total:.1f}", "s": task.state,
            "%mem": f"{task.memory_kib * 100 / total:.1f}",
        }  # fmt: skip
        rows.append([values[name] for name in names])
    out = ""
    for row in rows:
        cells = []
        for name, cell in zip(names, row, strict=True):
            width = _COLUMNS[name][1]
            cells.append(
                f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}" if width else cell
            )
        out += " ".join(cells).rstrip() + "\n"
    return Output(0, out)


def _top(session: Session, words: list[str], _stdin: str) -> Output:
    container = session.files.container
    total, used = memory_kib(container), used_memory_kib(container)
    found = session_tasks(session, words)
    running = 1 + sum(task.state == "R" for task in found[:-1])
    busy, loads = 100 - idle_percent(container), load_averages(container)
    user = user_name(session, session.rights.uid) or str(session.rights.uid)
    if session.busybox:
        rows = "".join(
            f"{t.pid:>5} {t.parent:>5} {user:<8.8} {t.state:<4} {t.memory_kib + 2048:>5}"
            f" {(t.memory_kib + 2048) * 100 // total:>3}%   0 {used_by(session, t).now:>3.0f}% {_shown(t)}\n"
            for t in found
        )
        return Output(
            0,
            f"Mem: {used}K used, {total - used}K free, 2048K shrd, 20480K buff, 409600K cached\n"
            f"CPU: {busy * 0.7:>3.0f}% usr {busy * 0.3:>3.0f}% sys   0% nic {100 - busy:>3.0f}% idle   0% io   0% irq   0% sirq\n"
            f"Load average: {' '.join(loads)} 1/{200 + len(found)} {session.pid}\n"
            f"  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND\n{rows}",
        )
    when = datetime.fromtimestamp(session.files.now, UTC)
    rows = "".join(
        f"{t.pid:>7} {user:<9.9} 20   0 {t.memory_kib + 2048:>7} {t.memory_kib:>6} {t.memory_kib // 2:>6} "
        f"{t.state} {used_by(session, t).now:>5.1f} {t.memory_kib * 100 / total:>5.1f} "
        f"{used_by(session, t).exact:>9} {t.name[:15]}\n"
        for t in found
    )
    return Output(
        0,
        f"top - {when:%H:%M:%S} up 1 day,  0 users,  load average: {', '.join(loads)}\n"
        f"Tasks: {len(found):>3} total, {running:>3} running, {len(found) - running:>3} sleeping,   0 stopped,   0 zombie\n"
        f"%Cpu(s): {busy * 0.7:>4.1f} us, {busy * 0.3:>4.1f} sy,  0.0 ni, {100 - busy:>4.1f} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
        f"MiB Mem : {total / 1024:>8.1f} total, {(total - used) / 1024:>8.1f} free, "
        f"{used / 1024:>8.1f} used, {(total - used) / 4096:>8.1f} buff/cache\n"
        f"MiB Swap:      0.0 total,      0.0 free,      0.0 used. {(total - used) / 1024:>8.1f} avail Mem\n\n"
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n" + rows,
    )


def _free(session: Session, words: list[str], _stdin: str) -> Output:
    flags, _ = options(words)
    container = session.files.container
    total, used = memory_kib(container), used_memory_kib(container)
    cached = (total - used) // 4
    amounts = [total, used, total - used - cached, 2048, cached, total - used]
    if "h" in flags:
        cells = [human(amount, unit=1024) for amount in amounts]
        if not session.busybox:
            cells = [re.sub(r"([KMGT])$", r"\1i", cell) for cell in cells]
        zero = "0" if session.busybox else "0B"
    else:
        size = {"b": 1 / 1024, "m": 1024, "g": 1024 * 1024}.get("".join(flags)[:1], 1)
        cells, zero = [str(int(amount / size)) for amount in amounts], "0"
    head = "              total        used        free      shared  buff/cache   available\n"
    label = "Mem:    "
    if not session.busybox:
        head = "  " + head
        label = "Mem:      "
    row = label + " ".join(f"{cell:>11}" for cell in cells) + "\n"
    swap = ("Swap:   " if session.busybox else "Swap:     ") + " ".join([f"{zero:>11}"] * 3) + "\n"
    return Output(0, head + row + swap)


def _kill(session: Session, words: list[str], _stdin: str) -> Output:
    """Signals to processes: PID 1 ignores KILL from inside its container, TERM asks the program."""
    if words[1:2] == ["-l"]:
        return Output(0, "".join(f"{number:>2}) {name}\n" for name, number in NUMBERS.items()))
    number, targets = signal_of(words)
    if number < 0:
        return Output(1, "", f"{words[0]}: bad signal name '{words[1].lstrip('-')}'\n")
    if not targets:
        name = shell_name(session) if words[0] == "kill" else words[0]
        return Output(1, "", f"{name}: you need to specify whom to kill\n")
    known = {str(task.pid): task for task in session_tasks(session, words)}
    err = ""
    for target in targets:
        if target == str(session.pid):
            continue  # the shell that was asked obeys when the command is over
        job = _job(session, target)
        if job is not None:
            _end(session, job, number)
        elif target not in known:
            err += _no_process(session, target)
        elif number and known[target].unit:
            session.runtime.signal_service(session, known[target].unit, number)
        elif number and is_main(session, known[target]):
            _reach(session, known[target].process, number)
    return Output(1 if err else 0, "", err)


def _reach(session: Session, process: Process | None, number: int) -> None:
    """Let a signal reach a main process: from outside of its container the kernel spares it none."""
    if process is None or process.ref == session.process.ref:
        send_to_main(session, number)
    elif number == _KILL:
        end(session.world, process.ref, 128 + number)
    elif number in (_STOP, _CONT):
        stop(session.world, process.ref, stopped=number == _STOP)
    else:
        send_to_main(session.runtime.session(session.world, process), number)


def _job(session: Session, target: str) -> Job | None:
    """The process in the background that a number, or `%1` in its own shell, names."""
    found = jobs_of(session.world, session.process.ref)
    if target.startswith("%"):
        mine = [job for job in found if job.parent == session.pid]
        number = target[1:]
        place = int(number) if number.isdecimal() else len(mine)
        return mine[place - 1] if 1 <= place <= len(mine) else None
    return next((job for job in found if str(job.pid) == target), None)


def _end(session: Session, job: Job, number: int) -> None:
    """Shells in the background ignore SIGINT, and who was told so SIGHUP."""
    if number in _HARMLESS or (number == _HUP and job.immune):
        return
    end_job(session.world, session.process.ref, job.pid)


def _no_process(session: Session, target: str) -> str:
    if not target.lstrip("-").isdecimal():
        return f"sh: kill: {target}: arguments must be process or job IDs\n"
    if session.busybox:
        return f"sh: can't kill pid {target}: No such process\n"
    name = shell_name(session)
    about = f"({target}) - " if name.startswith("bash") else ""
    return f"{name}: kill: {about}No such process\n"


def _pgrep(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "u")
    if words[0] == "pidof":
        found = [t for t in session_tasks(session, words)[:-1] if t.name in operands]
        shown = " ".join(str(task.pid) for task in reversed(found))
        return Output(0 if found else 1, f"{shown}\n" if found else "")
    if not operands:
        return Output(2, "", f"{words[0]}: no matching criteria specified\n")
    found = []
    try:
        wanted = compiled(operands[-1], extended=True)
    except PatternError as error:
        return Output(2, "", f"{words[0]}: {error}\n")
    for task in session_tasks(session, words)[:-1]:
        text = " ".join(task.argv) if "f" in flags else task.name
        hit = wanted.search(text)
        if hit is not None and ("x" not in flags or hit.group() == text):
            found.append(task)
    if words[0] == "pkill":
        signals = [word for word in words[1:] if _names_a_signal(word)]
        if found:
            _kill(session, ["kill", *signals, *(str(task.pid) for task in found)], stdin)
        return Output(0 if found else 1)
    out = ""
    for task in found:
        whole = "a" in flags or session.busybox
        shown = " ".join(task.argv) if whole else task.name
        out += f"{task.pid} {shown}\n" if {"l", "a"} & set(flags) else f"{task.pid}\n"
    return Output(0 if found else 1, out)


def _names_a_signal(word: str) -> bool:
    """Whether an option of `pkill` is a signal: `-9`, `-KILL`, `-SIGKILL`."""
    name = word.removeprefix("-").upper().removeprefix("SIG")
    return word.startswith("-") and (name.isdecimal() or name in NUMBERS)


def _lsof(session: Session, words: list[str], _stdin: str) -> Output:
    rows: list[str] = []
    for task in session_tasks(session, words)[:-1]:
        path = task.argv[0] if task.argv else ""
        rows.extend(f"{task.pid}\t{path}\t{fd}\t/dev/null\n" for fd in range(1))
        rows.extend(f"{task.pid}\t{path}\t{fd}\tpipe:[{40_000 + fd}]\n" for fd in (1, 2))
    for number, (port, _) in enumerate(session.process.ports, start=3):
        rows.append(f"1\t{session.process.argv[0]}\t{number}\tsocket:[{41_000 + port}]\n")
    return Output(0, "".join(rows))


def _sysctl(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    out, err = "", ""
    if "a" in flags or "A" in flags:
        start = "/proc/sys/"
        known = [path for path in kernel_paths(session.files.container) if path.startswith(start)]
        operands = sorted(path.removeprefix(start).replace("/", ".") for path in known)
    for operand in operands:
        name, equals, value = operand.partition("=")
        path = f"/proc/sys/{name.replace('.', '/')}"
        text = kernel_text(session.files.container, path)
        if text is None:
            head = "sysctl: error: '" if session.busybox else "sysctl: cannot stat "
            tail = (
                f"{name}' is an unknown key"
                if session.busybox
                else f"{path}: No such file or directory"
            )
            err += f"{head}{tail}\n"
        elif equals or value or "w" in flags:
            if session.busybox:
                err += f"sysctl: error setting key '{name}': Read-only file system\n"
            else:
                err += f'sysctl: setting key "{name}": Read-only file system\n'
        else:
            shown = text.rstrip("\n")
            out += f"{shown}\n" if "n" in flags else f"{name} = {shown}\n"
    return Output(255 if err and not session.busybox else 1 if err else 0, out, err)


def _dmesg(session: Session, _words: list[str], _stdin: str) -> Output:
    if session.rights.has("SYSLOG") or session.rights.privileged:
        lines = session.world.table(DMESG).get(session.process.config.node, ())
        return Output(0, "".join(f"[{at:>12.6f}] {text}\n" for at, text in lines))
    if session.busybox:
        return Output(1, "", "dmesg: klogctl: Operation not permitted\n")
    return Output(1, "", "dmesg: read kernel buffer failed: Operation not permitted\n")


def _vmstat(session: Session, words: list[str], _stdin: str) -> Output:
    numbers = [int(word) for word in words[1:] if word.isdecimal()]
    rounds = numbers[1] if len(numbers) > 1 else 1
    session.slept_s += (rounds - 1) * numbers[0] if numbers else 0
    free = memory_kib(session.files.container) - used_memory_kib(session.files.container)
    count = cpus(session.files.container)
    head = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    )
    row = f" 0  0      0 {free:>6}  20480 409600    0    0     2    14  {100 * count}  {180 * count}  2  1 97  0  0\n"
    return Output(0, head + row * rounds)


TASK_COMMANDS: dict[str, Command] = {
    "dmesg": _dmesg,
    "free": _free,
    "kill": _kill,
    "lsof": _lsof,
    "pgrep": _pgrep,
    "pidof": _pgrep,
    "pkill": _pgrep,
    "ps": _ps,
    "sysctl": _sysctl,
    "top": _top,
    "vmstat": _vmstat,
}
