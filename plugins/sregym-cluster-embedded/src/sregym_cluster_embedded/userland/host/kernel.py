"""Commands about the kernel of a node: sysctl, dmesg, uptime."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.files.machine import load_averages
from sregym_cluster_embedded.userland.host.observed import kernel_lines
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.machines import Machine

_CONFIGURED = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/lib/sysctl.d")
_SETTING = re.compile(r"\s*(-?)([\w./-]+)\s*=\s*(.*?)\s*")


def _machine(session: Session) -> Machine:
    found = machines.machine(session.world, session.process.config.node)
    assert found is not None, "commands run on machines that are there"
    return found


def _sysctl(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    if words[1:2] == ["--system"]:
        return _apply(session, _files_of(session), loud=True)
    if "p" in flags:
        return _apply(session, operands or ["/etc/sysctl.conf"], loud=False)
    if "a" in flags:
        operands = sorted({*machines.SYSCTLS, *(name for name, _ in _machine(session).sysctls)})
    elif not operands:
        return Output(
            1, "", "sysctl: no variables specified\nTry `sysctl --help' for more information.\n"
        )
    out, err, code = "", "", 0
    for operand in operands:
        name, equals, value = operand.partition("=")
        done = (
            _write(session, name, value) if equals else _read(session, name, named="n" not in flags)
        )
        out, err, code = (
            out + ("" if "q" in flags and equals else done.out),
            err + done.err,
            code or done.code,
        )
    return Output(code, out, err)


def _read(session: Session, name: str, *, named: bool) -> Output:
    name = name.replace("/", ".")
    value = _machine(session).sysctl(name)
    if value is None:
        return Output(
            1,
            "",
            f"sysctl: cannot stat /proc/sys/{name.replace('.', '/')}: No such file or directory\n",
        )
    return Output(0, f"{name} = {value}\n" if named else f"{value}\n")


def _write(session: Session, name: str, value: str) -> Output:
    name, value = name.strip().replace("/", "."), value.strip().strip('"')
    present = _machine(session).sysctl(name)
    if present is None:
        return Output(
            1,
            "",
            f"sysctl: cannot stat /proc/sys/{name.replace('.', '/')}: No such file or directory\n",
        )
    if session.rights.uid != 0:
        return Output(1, "", f'sysctl: permission denied on key "{name}"\n')
    if not _fits(present, value):
        return Output(1, "", f'sysctl: setting key "{name}": Invalid argument\n')
    machines.set_sysctl(session.world, session.process.config.node, name, "\t".join(value.split()))
    return Output(0, f"{name} = {value}\n")


def _fits(present: str, value: str) -> bool:
    """Numbers stay numbers, and as many as there were; texts may be any."""
    if not all(part.lstrip("-").isdecimal() for part in present.split()):
        return bool(value)
    parts = value.split()
    return len(parts) == len(present.split()) and all(
        part.lstrip("-").isdecimal() for part in parts
    )


def _files_of(session: Session) -> list[str]:
    found = [
        f"{folder}/{name}"
        for folder in _CONFIGURED
        for name in session.files.listing(folder) or ()
        if name.endswith(".conf")
    ]
    return [*sorted(found, key=lambda path: path.rpartition("/")[2]), "/etc/sysctl.conf"]


def _apply(session: Session, paths: list[str], *, loud: bool) -> Output:
    out, err, code = "", "", 0
    for path in paths:
        text = session.files.read(session.path(path))
        if text is None:
            code, err = 1, f'{err}sysctl: cannot open "{path}": No such file or directory\n'
            continue
        out += f"* Applying {path} ...\n" if loud else ""
        for line in text.splitlines():
            found = _SETTING.fullmatch(line)
            if found is None or line.lstrip().startswith(("#", ";")):
                continue
            done = _write(session, found.group(2), found.group(3))
            if done.code and found.group(1):
                continue
            out, err, code = out + done.out, err + done.err, code or done.code
    return Output(code, out, err)


def _dmesg(session: Session, words: list[str], _stdin: str) -> Output:
    flags, _ = options(words, "lnfst", {"level": "l", "ctime": "T", "human": "H", "follow": "w"})
    if not session.rights.has("SYSLOG"):
        return Output(1, "", "dmesg: read kernel buffer failed: Operation not permitted\n")
    world, node = session.world, session.process.config.node
    began = session.files.container.began
    levels = {"err": 3, "warn": 4, "notice": 5, "info": 6}
    wanted = [levels.get(one) for one in flags["l"].split(",")] if "l" in flags else None
    out = ""
    for entry in kernel_lines(world, node):
        if wanted is not None and entry.priority not in wanted:
            continue
        at = world.epoch + entry.at
        stamp = f"{at - began:>12.6f}"
        if "T" in flags or "H" in flags:
            stamp = f"{datetime.fromtimestamp(at, UTC):%a %b %e %H:%M:%S %Y}"
        out += f"[{stamp}] {entry.text}\n"
    return Output(0, out)


def _uptime(session: Session, words: list[str], _stdin: str) -> Output:
    began = session.files.container.began
    true_now = session.world.epoch + session.world.now
    whole = int(true_now - began)
    if "-s" in words:
        return Output(0, f"{datetime.fromtimestamp(began, UTC):%Y-%m-%d %H:%M:%S}\n")
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if "-p" in words:
        parts = ((days, "day"), (hours, "hour"), (minutes, "minute"))
        told = ", ".join(f"{n} {unit}{'s' if n != 1 else ''}" for n, unit in parts if n)
        return Output(0, f"up {told or '0 minutes'}\n")
    lasted = f"{days} day{'s' if days != 1 else ''}, " if days else ""
    lasted += f"{hours:>2}:{minutes:02d}" if hours else f"{minutes} min"
    now = datetime.fromtimestamp(session.files.now, UTC)
    load = ", ".join(load_averages(session.files.container))
    return Output(0, f" {now:%H:%M:%S} up {lasted},  0 users,  load average: {load}\n")


KERNEL_COMMANDS: dict[str, Command] = {"dmesg": _dmesg, "sysctl": _sysctl, "uptime": _uptime}
