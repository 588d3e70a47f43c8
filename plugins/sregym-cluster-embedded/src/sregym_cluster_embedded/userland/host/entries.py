"""Lines of a node's journal."""

from __future__ import annotations

from typing import NamedTuple

ERROR, WARNING, NOTICE, INFO = 3, 4, 5, 6


class Entry(NamedTuple):
    """One line.

    Attributes:
        at: Virtual second.
        unit: The service that it belongs to, with `.service`; empty for none.
        identifier: The name in front: `kubelet`, `systemd`, `kernel`.
        pid: Its process; 0 for none.
        text: The line.
        priority: As of syslog: 3 is an error, 6 information.
    """

    at: float
    unit: str
    identifier: str
    pid: int
    text: str
    priority: int = INFO
