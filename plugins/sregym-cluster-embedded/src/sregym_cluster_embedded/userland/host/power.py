"""Turning a node off, and booting it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.node.power import power_off, power_on
from sregym_cluster_embedded.userland.host.units import ACTIVE, INACTIVE, changed_units, keep
from sregym_cluster_embedded.userland.shell.session import Command, Output

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session
    from sregym_cluster_embedded.world import World

BOOT = "host.boot"
_LEAVES_S, BOOT_S = 1.0, 45.0


def turn(session: Session, *, reboot: bool) -> Output:
    """Let the node go down in a moment, and come back when it is a reboot."""
    if not session.rights.has("SYS_BOOT") and session.rights.uid:
        return Output(1, "", "Failed to power off system: Interactive authentication required.\n")
    session.world.after(_LEAVES_S, BOOT, session.process.config.node, False)
    if reboot:
        session.world.after(_LEAVES_S + BOOT_S, BOOT, session.process.config.node, True)
    return Output()


def boot(world: World, node: str, on: bool) -> None:
    """Handler: the node goes down, or comes up with the services that are enabled."""
    if not on:
        power_off(world, node)
        return
    power_on(world, node)
    for (place, name), known in list(changed_units(world).items()):
        if place == node:
            enabled = known.enabled is not False and not known.masked
            keep(world, node, name, state=ACTIVE if enabled else INACTIVE, since=None, restarts=0)


def _reboot(session: Session, words: list[str], _stdin: str) -> Output:
    name = words[0].rpartition("/")[2]
    return turn(session, reboot=name == "reboot" or "-r" in words)


POWER_COMMANDS: dict[str, Command] = {"reboot": _reboot, "poweroff": _reboot, "shutdown": _reboot}
