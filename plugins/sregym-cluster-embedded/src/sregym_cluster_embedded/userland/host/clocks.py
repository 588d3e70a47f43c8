"""The clock of a node: date -s, timedatectl, chronyc, hwclock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.host import services
from sregym_cluster_embedded.userland.host.units import CHRONY, is_active
from sregym_cluster_embedded.userland.shell.dates import DATE_COMMANDS, moment_of
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

_SERVER, _NAME = "C0A8FB01", "ntp1.example.net"
_NO_DAEMON = "506 Cannot talk to daemon\n"
_POLL_S = 64


def _offset(session: Session) -> float:
    machine = machines.machine(session.world, session.process.config.node)
    return 0.0 if machine is None else machine.clock_offset_s


def _set(session: Session, wanted: float) -> None:
    """Let the clock show this moment, in Unix seconds."""
    world, node = session.world, session.process.config.node
    services.set_clock(world, node, round(wanted - (world.epoch + world.now), 3))
    services.clock_was_set(world, node)


def _date(session: Session, words: list[str], stdin: str) -> Output:
    text = ""
    for place, word in enumerate(words[1:], start=1):
        if word in ("-s", "--set") and place + 1 < len(words):
            text = words[place + 1]
        elif word.startswith("--set="):
            text = word.partition("=")[2]
        elif word.startswith("-s") and len(word) > 2:
            text = word[2:]
    if not text:
        return DATE_COMMANDS["date"](session, words, stdin)
    moment = moment_of(session, text)
    if moment is None:
        return Output(1, "", f"date: invalid date '{text}'\n")
    shown = f"{moment:%a %b %e %H:%M:%S UTC %Y}\n"
    if not session.rights.has("SYS_TIME"):
        return Output(1, shown, "date: cannot set date: Operation not permitted\n")
    _set(session, moment.timestamp())
    return Output(0, shown)


def _timedatectl(session: Session, words: list[str], _stdin: str) -> Output:
    operands = [word for word in words[1:] if not word.startswith("-")]
    verb = operands[0] if operands else "status"
    if verb == "set-time" and len(operands) > 1:
        return _set_time(session, " ".join(operands[1:]))
    if verb == "set-ntp" and len(operands) > 1:
        return _set_ntp(session, operands[1])
    if verb not in ("status", "show"):
        return Output(1, "", f"Unknown command verb {verb}.\n")
    now = datetime.fromtimestamp(session.files.now, UTC)
    runs = is_active(session.world, session.process.config.node, CHRONY)
    synchronised = "yes" if runs and abs(_offset(session)) < 1 else "no"
    if verb == "show":
        return Output(
            0,
            f"Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP={'yes' if runs else 'no'}\n"
            f"NTPSynchronized={synchronised}\nTimeUSec={now:%a %Y-%m-%d %H:%M:%S} UTC\n",
        )
    rows = (
        ("Local time", f"{now:%a %Y-%m-%d %H:%M:%S} UTC"),
        ("Universal time", f"{now:%a %Y-%m-%d %H:%M:%S} UTC"),
        ("RTC time", f"{now:%a %Y-%m-%d %H:%M:%S}"),
        ("Time zone", "Etc/UTC (UTC, +0000)"),
        ("System clock synchronized", synchronised),
        ("NTP service", "active" if runs else "inactive"),
        ("RTC in local TZ", "no"),
    )
    return Output(0, "".join(f"{name:>25}: {value}\n" for name, value in rows))


def _set_time(session: Session, text: str) -> Output:
    if is_active(session.world, session.process.config.node, CHRONY):
        return Output(1, "", "Failed to set time: Automatic time synchronization is enabled\n")
    moment = moment_of(session, text)
    if moment is None:
        return Output(1, "", f"Failed to parse time specification '{text}': Invalid argument\n")
    _set(session, moment.timestamp())
    return Output()


def _set_ntp(session: Session, word: str) -> Output:
    if word.lower() not in ("true", "yes", "on", "1", "false", "no", "off", "0"):
        return Output(1, "", f"Failed to parse boolean argument: {word}\n")
    verb = "start" if word.lower() in ("true", "yes", "on", "1") else "stop"
    assert session.runner is not None
    return session.runner(["systemctl", verb, "chrony"], "")


def _chronyc(session: Session, words: list[str], _stdin: str) -> Output:
    operands = [word for word in words[1:] if not word.startswith("-")]
    verb = operands[0] if operands else "help"
    if not is_active(session.world, session.process.config.node, CHRONY):
        return Output(1, _NO_DAEMON)
    known = _CHRONYC.get(verb)
    return Output(1, "Unrecognized command\n") if known is None else known(session)


def _makestep(session: Session) -> Output:
    services.set_clock(session.world, session.process.config.node, 0.0)
    return Output(0, "200 OK\n")


def _tracking(session: Session) -> Output:
    offset = _offset(session)
    off = abs(offset) >= 1
    now = datetime.fromtimestamp(session.world.epoch + session.world.now - 20, UTC)
    rows = (
        ("Reference ID", f"{_SERVER} ({_NAME})"),
        ("Stratum", "3"),
        ("Ref time (UTC)", f"{now:%a %b %d %H:%M:%S %Y}"),
        ("System time", f"{abs(offset) or 0.000021:.9f} seconds {'fast' if offset > 0 else 'slow'} of NTP time"),
        ("Last offset", f"{-offset if off else 0.000012:+.9f} seconds"),
        ("RMS offset", f"{abs(offset) if off else 0.000043:.9f} seconds"),
        ("Frequency", "12.345 ppm slow"),
        ("Residual freq", "+0.002 ppm"),
        ("Skew", "0.112 ppm"),
        ("Root delay", "0.012345678 seconds"),
        ("Root dispersion", "0.001234567 seconds"),
        ("Update interval", f"{_POLL_S:.1f} seconds"),
        ("Leap status", "Normal"),
    )  # fmt: skip
    return Output(0, "".join(f"{name:<16}: {value}\n" for name, value in rows))


def _sources(session: Session) -> Output:
    offset = _offset(session)
    text = f"{offset:+8.2f}s" if abs(offset) >= 1 else "  +12us"
    return Output(
        0,
        "MS Name/IP address         Stratum Poll Reach LastRx Last sample               \n"
        "===============================================================================\n"
        f"^* {_NAME:<27} 2   6   377    20 {text}[{text.strip()}] +/-   12ms\n",
    )


def _activity(_session: Session) -> Output:
    return Output(
        0,
        "200 OK\n1 sources online\n0 sources offline\n0 sources doing burst (return to online)\n"
        "0 sources doing burst (return to offline)\n0 sources with unknown address\n",
    )


_CHRONYC: dict[str, Callable[[Session], Output]] = {
    "makestep": _makestep, "tracking": _tracking, "sources": _sources, "activity": _activity,
    "burst": lambda _: Output(0, "200 OK\n"), "online": lambda _: Output(0, "200 OK\n"),
    "waitsync": lambda _: Output(0, "try: 1, refid: C0A8FB01, correction: 0.000000021, skew: 0.112\n"),
}  # fmt: skip


def _hwclock(session: Session, words: list[str], _stdin: str) -> Output:
    true_now = session.world.epoch + session.world.now
    if "-s" in words or "--hctosys" in words:
        _set(session, true_now)
        return Output()
    if "-w" in words or "--systohc" in words:
        return Output()
    return Output(0, f"{datetime.fromtimestamp(true_now, UTC):%Y-%m-%d %H:%M:%S.%f}+00:00\n")


CLOCK_COMMANDS: dict[str, Command] = {
    "chronyc": _chronyc, "date": _date, "hwclock": _hwclock, "timedatectl": _timedatectl,
}  # fmt: skip
