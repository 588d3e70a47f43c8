"""Setting one variable of a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_regex.budget import allocate

from sregym_cluster_embedded.userland.shell.control import Exit
from sregym_cluster_embedded.userland.shell.errno_messages import builtin_name, shell_name
from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

# Shorter values are paid for by the command that sets them.
_NOTICED = 256


def assign(session: Session, name: str, value: str, builtin: str = "") -> None:
    """Set a variable.

    Raises:
        Exit: It is read only.
    """
    if name in session.readonly:
        if session.shell == "bash":
            text = f"{shell_name(session)}: {name}: readonly variable\n"
            raise Exit(1, Output(1, "", text))
        head = builtin_name(session, builtin) if builtin else shell_name(session)
        raise Exit(2, Output(2, "", f"{head}: {name}: is read only\n"))
    if len(value) > _NOTICED:
        allocate(len(value))
    session.environment[name] = value
