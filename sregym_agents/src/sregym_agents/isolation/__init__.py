"""A sandbox around an agent's process: its own files, its own processes, and no network but the session.

`bubblewrap` is a Debian package that needs no daemon and no privileges. Inside, the addresses of the
session are the same as outside: what listens there leads out through sockets in the file system.
"""

from __future__ import annotations

from sregym_agents.isolation.bubblewrap import Bubblewrap
from sregym_agents.isolation.relay import Relays, Route, routes_of
from sregym_agents.isolation.sandbox import Needs, Place, Sandbox, Start, walls_of

__all__ = [
    "Bubblewrap",
    "Needs",
    "Place",
    "Relays",
    "Route",
    "Sandbox",
    "Start",
    "routes_of",
    "walls_of",
]
