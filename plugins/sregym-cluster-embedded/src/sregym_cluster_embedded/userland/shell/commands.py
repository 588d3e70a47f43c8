"""All commands by name: those of the shell itself, and those of extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.host.commands import HOST_COMMANDS
from sregym_cluster_embedded.userland.host.namespaces_entered import ENTERING_COMMANDS
from sregym_cluster_embedded.userland.shell.awk.command import AWK_COMMANDS
from sregym_cluster_embedded.userland.shell.changing import CHANGING_COMMANDS
from sregym_cluster_embedded.userland.shell.columns import COLUMN_COMMANDS
from sregym_cluster_embedded.userland.shell.computing import COMPUTING_COMMANDS
from sregym_cluster_embedded.userland.shell.conditions import CONDITION_COMMANDS
from sregym_cluster_embedded.userland.shell.copying import COPYING_COMMANDS
from sregym_cluster_embedded.userland.shell.curl import CURL_COMMANDS
from sregym_cluster_embedded.userland.shell.dates import DATE_COMMANDS
from sregym_cluster_embedded.userland.shell.dns_commands import LOOKUP_COMMANDS
from sregym_cluster_embedded.userland.shell.dumping import DUMPING_COMMANDS
from sregym_cluster_embedded.userland.shell.expressions import EXPRESSION_COMMANDS
from sregym_cluster_embedded.userland.shell.file_listing import LISTING_COMMANDS
from sregym_cluster_embedded.userland.shell.find_command import SEARCHING_COMMANDS
from sregym_cluster_embedded.userland.shell.grep import GREP_COMMANDS
from sregym_cluster_embedded.userland.shell.head_tail import ENDS_COMMANDS
from sregym_cluster_embedded.userland.shell.identity import IDENTITY_COMMANDS
from sregym_cluster_embedded.userland.shell.links import LINK_COMMANDS
from sregym_cluster_embedded.userland.shell.mount_commands import PLACE_COMMANDS
from sregym_cluster_embedded.userland.shell.network import NETWORK_COMMANDS
from sregym_cluster_embedded.userland.shell.openssl import OPENSSL_COMMANDS
from sregym_cluster_embedded.userland.shell.packages import PACKAGE_COMMANDS
from sregym_cluster_embedded.userland.shell.packing import PACKING_COMMANDS
from sregym_cluster_embedded.userland.shell.printing import PRINTING_COMMANDS
from sregym_cluster_embedded.userland.shell.rearranging import REARRANGING_COMMANDS
from sregym_cluster_embedded.userland.shell.sed.command import EDITING_COMMANDS
from sregym_cluster_embedded.userland.shell.sorting import SORTING_COMMANDS
from sregym_cluster_embedded.userland.shell.starting import STARTING_COMMANDS
from sregym_cluster_embedded.userland.shell.tabling import TABLING_COMMANDS
from sregym_cluster_embedded.userland.shell.tasks import TASK_COMMANDS
from sregym_cluster_embedded.userland.shell.text import TEXT_COMMANDS
from sregym_cluster_embedded.userland.shell.wget import WGET_COMMANDS

if TYPE_CHECKING:
    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

# The commands that every simulated shell can carry out where an image has them.
COMMANDS: dict[str, Command] = {
    **TEXT_COMMANDS,
    **COLUMN_COMMANDS,
    **PRINTING_COMMANDS,
    **SORTING_COMMANDS,
    **EXPRESSION_COMMANDS,
    **AWK_COMMANDS,
    **CHANGING_COMMANDS,
    **COMPUTING_COMMANDS,
    **CONDITION_COMMANDS,
    **DATE_COMMANDS,
    **DUMPING_COMMANDS,
    **EDITING_COMMANDS,
    **ENDS_COMMANDS,
    **GREP_COMMANDS,
    **IDENTITY_COMMANDS,
    **LINK_COMMANDS,
    **LISTING_COMMANDS,
    **OPENSSL_COMMANDS,
    **PACKAGE_COMMANDS,
    **PACKING_COMMANDS,
    **PLACE_COMMANDS,
    **REARRANGING_COMMANDS,
    **SEARCHING_COMMANDS,
    **STARTING_COMMANDS,
    **TABLING_COMMANDS,
    **TASK_COMMANDS,
    **COPYING_COMMANDS,
    **NETWORK_COMMANDS,
    **CURL_COMMANDS,
    **WGET_COMMANDS,
    **LOOKUP_COMMANDS,
}


def command_of(session: Session, name: str) -> Command | None:
    """What carries out a command; a node has some of its own, and others that do more there."""
    if session.on_host and name in HOST_COMMANDS:
        return HOST_COMMANDS[name]
    return ENTERING_COMMANDS.get(name) or session.runtime.commands.get(name)


def commands_of(known: Installed) -> dict[str, Command]:
    """The commands of the shell itself and those of extensions, imported on first use."""
    return {**{name: _lazy(known, name) for name in known.commands}, **COMMANDS}


def _lazy(known: Installed, name: str) -> Command:
    loaded: list[Command] = []

    def run(session: Session, words: list[str], stdin: str) -> Output:
        if not loaded:
            loaded.append(known.load("container command", name, known.commands[name].target))
        return loaded[0](session, words, stdin)

    return run
