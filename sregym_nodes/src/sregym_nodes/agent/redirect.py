"""Links that are late, lossy or slow where the kernel has no queueing discipline for that.

New connections of TCP are led through a program of this machine, which carries them on. Datagrams,
and what was connected before, pass as they are.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from . import facts
from .backend import Backend
from .links import device_of
from .refusal import Refusal
from .relay import MARK, Relay
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .backend import Note
    from .journal import Entry

_TABLE = "shaping"
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SEEN_S, _LOOK_S = 10.0, 0.5
_PORT = re.compile(r"redirect to :(\d+)")


class Redirected(Backend):
    """Rules that lead new connections of a device to a program."""

    name: ClassVar[str] = "relay"
    kinds: ClassVar[frozenset[str]] = frozenset({"link"})

    def __init__(self) -> None:
        self._relay: Relay | None = None

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """A connection has nothing twice."""
        return ask["kind"] in cls.kinds and not ask.get("duplicated")

    def resource(self, ask: Mapping[str, Any]) -> str:
        """There is one table of rules."""
        return "connections of this machine"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Make such rules in a network of its own."""
        if not facts.is_root():
            return "rules for connections need root here; run as root, or allow sudo without a password"
        if shutil.which("nft") is None:
            return "the program nft is not on this machine; install the package nftables"
        if not _tried():
            return (
                f"kernel {facts.kernel()} cannot lead connections elsewhere; load the modules nf_tables, "
                "nft_chain_nat and nft_redir, or take a kernel that has them"
            )
        try:
            device_of(ask)
        except Refusal as refusal:
            return str(refusal)
        if _there() and not ask.get("replaces"):
            return f"there is a table of rules {_TABLE!r} already (nft list table ip {_TABLE}); delete it"
        return ""

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Start the program, then lead connections there."""
        device = device_of(ask)
        self._relay = Relay(ask, both=device == "lo")
        note({"device": device, "port": self._relay.port})
        _nft(_rules(device, self._relay.port))

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Connect through the device, and look whether the program met it."""
        assert self._relay is not None, "injected before"
        before, relay = self._relay.count, self._relay
        _connect(str(state["device"]))
        if not wait_for(lambda: relay.count > before, _SEEN_S):
            msg = f"connections of {state['device']} are led elsewhere, but none came there, so it was undone"
            raise Refusal(msg)
        return {"seen": f"connections of {state['device']} go through port {relay.port}"}

    def undo(self, state: Mapping[str, Any]) -> None:
        """Take the rules away; connections that go through the program end with it."""
        if state and _there():
            _nft(f"delete table ip {_TABLE}")

    def repair(self, entry: Entry) -> list[list[str]]:
        """The rules are deleted."""
        return [["nft", "delete", "table", "ip", _TABLE]]

    def stands(self, entry: Entry) -> bool:
        """Whether the rules are there."""
        return bool(entry.state) and _there()

    def attend(self, ask: Mapping[str, Any], timeout_s: float) -> bool:
        """Go on; a program that was lost is started again where the rules lead to."""
        rules = _listed()
        if not rules:
            return False
        if self._relay is None:
            found = _PORT.search(rules)
            self._relay = Relay(
                ask, both=device_of(ask) == "lo", port=int(found[1]) if found else 0
            )
        signal.sigtimedwait((), min(timeout_s, _LOOK_S))
        return True

    @property
    def needs_attention(self) -> bool:
        """The program is this process."""
        return True


def _rules(device: str, port: int) -> str:
    """New connections from this machine through a device, and those that arrive by it."""
    led = f"meta l4proto tcp redirect to :{port}"
    ours = f"meta mark {MARK} return"
    lines = [
        f"add table ip {_TABLE}",
        f"add chain ip {_TABLE} out {{ type nat hook output priority -100 ; }}",
        f"add rule ip {_TABLE} out {ours}",
        f"add rule ip {_TABLE} out oifname {device} {led}",
    ]
    if device != "lo":
        # Those of pods that leave by it, and those of others.
        lines += [
            f"add chain ip {_TABLE} forth {{ type nat hook prerouting priority -110 ; }}",
            f"add rule ip {_TABLE} forth iifname {device} {led}",
            f"add rule ip {_TABLE} forth iifname != {device} iifname != lo fib daddr oifname {device} {led}",
        ]
    return "\n".join(lines)


def _nft(commands: str) -> None:
    done = subprocess.run(
        ["nft", "-f", "-"], input=commands + "\n", capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = " ".join((done.stderr or done.stdout).split())
        msg = f"nft was refused: {message}"
        raise Refusal(msg)


def _listed() -> str:
    words = ["nft", "list", "table", "ip", _TABLE]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def _there() -> bool:
    return bool(_listed())


def _tried() -> bool:
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            ctypes.CDLL(None).unshare(_NEW_NETWORK)
            _nft(_rules("lo", 9) + "\n" + _rules("lo0", 9))
            code = 0
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _connect(device: str) -> None:
    """To the gateway, or to this machine itself; no peer needs to answer."""
    words = ["ip", "route", "show", "default"]
    route = subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
    to = route[route.index("via") + 1] if "via" in route and device != "lo" else "127.0.0.1"
    with suppress(OSError), socket.create_connection((to, 9), 2.0):
        pass
