"""`systemctl` of systemd 252."""

from __future__ import annotations

from sregym_cluster_embedded.userland.host.unit_changing import CHANGING
from sregym_cluster_embedded.userland.host.unit_options import parse_command_line
from sregym_cluster_embedded.userland.host.unit_showing import SHOWING
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

# Verbs that go without the name of a service.
_NAMELESS = (
    "daemon-reload", "daemon-reexec", "reset-failed", "reboot", "poweroff", "halt", "status",
    "list-units", "list-unit-files", "is-system-running", "is-failed",
)  # fmt: skip


def systemctl(session: Session, words: list[str], _stdin: str) -> Output:
    """Carry out `systemctl`."""
    asked = parse_command_line(words)
    if asked.on("--version"):
        return Output(0, "systemd 252 (252.38-1~deb12u1)\n")
    verb = CHANGING.get(asked.verb) or SHOWING.get(asked.verb)
    if verb is None:
        return Output(1, "", f"Unknown command verb {asked.verb}.\n")
    if asked.verb not in _NAMELESS and not asked.names:
        return Output(1, "", "Too few arguments.\n")
    if asked.verb in CHANGING and not (session.rights.has("SYS_ADMIN") or session.rights.uid == 0):
        what = f"{asked.verb.capitalize()} failed" if len(asked.names) < 2 else "Failed"
        return Output(1, "", f"{what}: Interactive authentication required.\n")
    return verb(session, asked)


SYSTEMCTL_COMMANDS: dict[str, Command] = {"systemctl": systemctl}
