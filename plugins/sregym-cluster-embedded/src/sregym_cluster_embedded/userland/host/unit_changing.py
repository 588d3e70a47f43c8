"""`systemctl` where it changes services: start, stop, enable, mask, kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.host import power, services
from sregym_cluster_embedded.userland.host.unit_showing import chosen, is_enabled
from sregym_cluster_embedded.userland.host.units import (
    ACTIVE,
    FAILED,
    INACTIVE,
    Unit,
    full_name,
    keep,
    status,
    unit_of,
)
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.host.unit_options import ParsedCommandLine

_WANTS = "/etc/systemd/system/multi-user.target.wants"


def _found(session: Session, name: str) -> Unit | None:
    return unit_of(session.files, full_name(name))


def _missing(name: str, verb: str) -> Output:
    return Output(5, "", f"Failed to {verb} {full_name(name)}: Unit {full_name(name)} not found.\n")


def _each(
    session: Session, asked: ParsedCommandLine, verb: str, act: Callable[[Unit], str]
) -> Output:
    code, err = 0, ""
    for name in asked.names:
        unit = _found(session, name)
        if unit is None:
            failed = _missing(name, verb)
            code, err = failed.code, err + failed.err
            continue
        if why := act(unit):
            code, err = 1, err + why
    return Output(code, "", err)


def _start(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node

    def act(unit: Unit) -> str:
        return _told(unit, services.start(world, node, session.files, unit))

    return _each(session, asked, "start", act)


def _told(unit: Unit, why: str) -> str:
    if why == "masked":
        return f"Failed to start {unit.name}: Unit {unit.name} is masked.\n"
    if why:
        return (
            f"Job for {unit.name} failed because the control process exited with error code.\n"
            f'See "systemctl status {unit.name}" and "journalctl -xeu {unit.name}" for details.\n'
        )
    return ""


def _stop(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node

    def act(unit: Unit) -> str:
        services.stop(world, node, unit)
        return ""

    return _each(session, asked, "stop", act)


def _restart(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node

    def act(unit: Unit) -> str:
        if asked.verb == "try-restart" and status(world, node, unit.name).state != ACTIVE:
            return ""
        services.stop(world, node, unit)
        return _told(unit, services.start(world, node, session.files, unit))

    return _each(session, asked, "restart", act)


def _reload(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node

    def act(unit: Unit) -> str:
        if asked.verb != "reload":
            services.stop(world, node, unit)
            return _told(unit, services.start(world, node, session.files, unit))
        if not unit.get("ExecReload"):
            return f"Failed to reload {unit.name}: Job type reload is not applicable for unit {unit.name}.\n"
        return ""

    return _each(session, asked, "reload", act)


def _kill(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    text = asked.get("-s", "--signal").upper().removeprefix("SIG") or "TERM"
    number = int(text) if text.isdecimal() else _SIGNALS.get(text, 15)

    def act(unit: Unit) -> str:
        services.kill(world, node, unit, number)
        return ""

    return _each(session, asked, "kill", act)


_SIGNALS = {"HUP": 1, "INT": 2, "KILL": 9, "TERM": 15, "CONT": 18, "STOP": 19}


def _enable(session: Session, asked: ParsedCommandLine) -> Output:
    world, node, on = session.world, session.process.config.node, asked.verb != "disable"
    code, err = 0, ""
    for name in asked.names:
        unit = _found(session, name)
        if unit is None:
            whose = f"Unit file {full_name(name)} does not exist."
            code, err = 1, f"{err}Failed to {asked.verb} unit: {whose}\n"
            continue
        was = is_enabled(session, unit)
        keep(world, node, unit.name, enabled=on, state=status(world, node, unit.name).state)
        link = f"{_WANTS}/{unit.name}"
        if on and was != "enabled" and unit.wanted:
            err += f"Created symlink {link} → {unit.path}.\n"
        elif not on and was == "enabled":
            err += f'Removed "{link}".\n'
        if asked.on("--now"):
            done = (_start if on else _stop)(session, asked._replace(names=(name,)))
            code, err = done.code or code, err + done.err
    return Output(code, "", err)


def _mask(session: Session, asked: ParsedCommandLine) -> Output:
    world, node, on = session.world, session.process.config.node, asked.verb == "mask"
    err = ""
    for name in asked.names:
        unit_name = full_name(name)
        present = status(world, node, unit_name)
        keep(world, node, unit_name, masked=on, state=present.state)
        link = f"/etc/systemd/system/{unit_name}"
        if on and not present.masked:
            err += f"Created symlink {link} → /dev/null.\n"
        elif not on and present.masked:
            err += f'Removed "{link}".\n'
    if asked.on("--now") and on:
        err += _stop(session, asked).err
    return Output(0, "", err)


def _nothing(_session: Session, _asked: ParsedCommandLine) -> Output:
    return Output()


def _reset(session: Session, asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    for unit, known in chosen(session, asked._replace(options={"--all": ""})):
        if known.state == FAILED:
            keep(world, node, unit.name, state=INACTIVE, restarts=0)
    return Output()


def _power(session: Session, asked: ParsedCommandLine) -> Output:
    return power.turn(session, reboot=asked.verb in ("reboot", "kexec"))


CHANGING: dict[str, Callable[[Session, ParsedCommandLine], Output]] = {
    "start": _start, "stop": _stop, "restart": _restart, "try-restart": _restart,
    "reload": _reload, "reload-or-restart": _reload, "kill": _kill, "enable": _enable,
    "disable": _enable, "reenable": _enable, "mask": _mask, "unmask": _mask,
    "daemon-reload": _nothing, "daemon-reexec": _nothing, "reset-failed": _reset,
    "reboot": _power, "poweroff": _power, "halt": _power,
}  # fmt: skip
