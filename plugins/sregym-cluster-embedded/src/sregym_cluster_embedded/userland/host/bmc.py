"""`ipmitool`: the boards by which machines are switched on and off when nothing runs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.node.power import power_off
from sregym_cluster_embedded.userland.host.boards import BOARD_SECRET, BOARD_SUFFIX
from sregym_cluster_embedded.userland.host.power import BOOT, BOOT_S
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.machines import Machine

USER = "admin"
_VALUED = "IHUPfLpRNtbBCko"
_USAGE = "usage: ipmitool [options...] <command>\n"
_POWER_USAGE = "chassis power Commands: status, on, off, cycle, reset, diag, soft\n"


def _ipmitool(session: Session, words: list[str], _stdin: str) -> Output:
    options, rest = _options(words[1:])
    if "V" in options:
        return Output(0, "ipmitool version 1.8.19\n", "")
    if not rest:
        return Output(1, "", f"No command provided!\n{_USAGE}")
    if options.get("I", "open") != "lanplus" or "H" not in options:
        why = "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: No such file or directory"
        return Output(1, "", f"{why}\n")
    board = options["H"]
    machine = _behind(session, board)
    if machine is None:
        return Output(
            1,
            "",
            f"Address lookup for {board} failed\nError: Unable to establish IPMI v2 / RMCP+ session\n",
        )
    if options.get("U") != USER or _word(session, options) != _word(session, {"f": BOARD_SECRET}):
        return Output(1, "", "Error: Unable to establish IPMI v2 / RMCP+ session\n")
    verbs = rest[1:] if rest[0] == "chassis" else rest
    if verbs[:1] != ["power"] or len(verbs) != 2:
        return Output(1, "", f"Invalid command: {' '.join(rest)}\n{_POWER_USAGE}")
    return _turn(session, machine, verbs[1])


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        letter, value = option[1:2], option[2:]
        found[letter] = value or (rest.pop(0) if letter in _VALUED and rest else "")
    return found, rest


def _word(session: Session, options: dict[str, str]) -> str:
    given = session.files.read(options["f"]) if "f" in options else options.get("P")
    return (given or "").strip()


def _behind(session: Session, board: str) -> Machine | None:
    """The machine whose board has a name, as /etc/hosts says it."""
    for line in (session.files.read("/etc/hosts") or "").splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if board in (address, *names):
            ours = next((name for name in names if name.endswith(BOARD_SUFFIX)), "")
            return (
                machines.machine(session.world, ours.removesuffix(BOARD_SUFFIX)) if ours else None
            )
    return None


def _turn(session: Session, machine: Machine, verb: str) -> Output:
    world, name = session.world, machine.name
    if verb == "status":
        return Output(0, f"Chassis Power is {'on' if machine.powered else 'off'}\n", "")
    if verb == "on":
        if not machine.powered:
            world.after(BOOT_S, BOOT, name, True)
        return Output(0, "Chassis Power Control: Up/On\n", "")
    if verb in ("off", "soft"):
        power_off(world, name)
        said = "Down/Off" if verb == "off" else "Soft"
        return Output(0, f"Chassis Power Control: {said}\n", "")
    if verb in ("cycle", "reset"):
        if not machine.powered:
            return Output(
                1,
                "",
                f"Set Chassis Power Control to {verb.title()} failed: Command not supported in present state\n",
            )
        power_off(world, name)
        world.after(BOOT_S, BOOT, name, True)
        return Output(0, f"Chassis Power Control: {verb.title()}\n", "")
    return Output(1, "", _POWER_USAGE)


BOARD_COMMANDS: dict[str, Command] = {"ipmitool": _ipmitool}
