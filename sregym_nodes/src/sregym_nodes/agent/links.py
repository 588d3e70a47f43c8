"""Packets of a network device that are late, lost or too many: queueing disciplines, in either direction.

What comes in has no queue of its own: it is led through an intermediate device (ifb) that has one.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import facts
from .backend import Backend
from .refusal import Refusal
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .backend import Note
    from .journal import Entry

# Ours among others; and where packets that come in wait.
_HANDLE, _IN_DEVICE = "1f0b:", "ifb-in"
_USUAL = frozenset({"noqueue", "fq_codel", "fq", "pfifo_fast", "pfifo", "mq", "bfifo"})
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SENT, _SEEN_S = 200, 10.0


class Queue(Backend):
    """A discipline at a device; `ask["way"]` is `out` or `in`, `ask["device"]` empty for the default route's."""

    kinds: ClassVar[frozenset[str]] = frozenset({"link"})

    def resource(self, ask: Mapping[str, Any]) -> str:
        """The direction of the device."""
        return f"packets {ask.get('way', 'out')} of device {ask.get('device') or 'of the default route'}"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Put such a discipline at a device of a network of its own."""
        if not facts.is_root():
            return (
                "queueing disciplines need root here; run as root, or allow sudo without a password"
            )
        if shutil.which("tc") is None:
            return "the program tc is not on this machine; install the package iproute2"
        if not self._tried():
            return (
                f"kernel {facts.kernel()} has no queueing discipline {self.name!r}; load the module "
                f"sch_{self.name}, or take a kernel that has it"
            )
        try:
            _free(device_of(ask), bool(ask.get("replaces")))
        except Refusal as refusal:
            return str(refusal)
        return ""

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Put it there."""
        device, inwards = device_of(ask), ask.get("way") == "in"
        note({"device": device, "in": inwards})
        if inwards:
            _run("ip", "link", "add", _IN_DEVICE, "type", "ifb")
            _run("ip", "link", "set", _IN_DEVICE, "up")
            _run("tc", "qdisc", "add", "dev", device, "ingress")
            led = ("action", "mirred", "egress", "redirect", "dev", _IN_DEVICE)
            _run("tc", "filter", "add", "dev", device, "parent", "ffff:", "matchall", *led)
        at = _IN_DEVICE if inwards else device
        _run("tc", "qdisc", "replace", "dev", at, "root", "handle", _HANDLE, *self.words(ask))

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send datagrams, and look what the discipline counts."""
        at = _IN_DEVICE if state["in"] else str(state["device"])
        with suppress(OSError):
            _send(str(state["device"]))
        least = "drops" if ask.get("loss") else "packets"
        if not wait_for(lambda: int((_ours(at) or {}).get(least, 0)) > 0, _SEEN_S):
            msg = f"a discipline stands at {at}, but no packet met it, so it was undone"
            raise Refusal(msg)
        found = _ours(at) or {}
        return {name: found[name] for name in ("packets", "drops") if name in found}

    def undo(self, state: Mapping[str, Any]) -> None:
        """Take it away, if it is ours."""
        if not state:
            return
        if state["in"]:
            if Path("/sys/class/net", _IN_DEVICE).exists():
                with suppress(Refusal):  # another process may have removed it
                    _run("tc", "qdisc", "del", "dev", str(state["device"]), "ingress")
                _run("ip", "link", "del", _IN_DEVICE)
        elif _ours(str(state["device"])) is not None:
            _run("tc", "qdisc", "del", "dev", str(state["device"]), "root")

    def repair(self, entry: Entry) -> list[list[str]]:
        """The queueing discipline is deleted, or what leads packets to it."""
        device = str(entry.state["device"])
        return [["tc", "qdisc", "del", "dev", device, "ingress" if entry.state["in"] else "root"]]

    def stands(self, entry: Entry) -> bool:
        """Whether it is there."""
        state = entry.state
        return bool(state) and _ours(_IN_DEVICE if state["in"] else state["device"]) is not None

    def words(self, ask: Mapping[str, Any]) -> list[str]:
        """The discipline as arguments of `tc`."""
        raise NotImplementedError

    def _tried(self) -> bool:
        child = os.fork()
        if child == 0:
            code = 1
            with suppress(BaseException):
                ctypes.CDLL(None).unshare(_NEW_NETWORK)
                _run("tc", "qdisc", "add", "dev", "lo", "root", *self.words({"rate_mbit": 1}))
                code = 0
            os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Netem(Queue):
    """All of it."""

    name: ClassVar[str] = "netem"

    def words(self, ask: Mapping[str, Any]) -> list[str]:
        """Delay, loss, copies, rate."""
        words = [self.name, "limit", "10000"]
        if ask.get("delay_ms") or ask.get("jitter_ms"):
            words += [
                "delay",
                f"{ask.get('delay_ms') or 0:g}ms",
                f"{ask.get('jitter_ms') or 0:g}ms",
            ]
        words += ["loss", f"{ask['loss'] * 100:g}%"] if ask.get("loss") else []
        words += ["duplicate", f"{ask['duplicated'] * 100:g}%"] if ask.get("duplicated") else []
        return words + (["rate", f"{ask['rate_mbit']:g}mbit"] if ask.get("rate_mbit") else [])


class Tbf(Queue):
    """A limit of the rate alone."""

    name: ClassVar[str] = "tbf"

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """Neither delay nor loss nor copies."""
        return ask["kind"] in cls.kinds and not any(
            ask.get(one) for one in ("delay_ms", "jitter_ms", "loss", "duplicated")
        )

    def words(self, ask: Mapping[str, Any]) -> list[str]:
        """A bucket of some packets."""
        rate = f"{ask.get('rate_mbit') or 1:g}mbit"
        return [self.name, "rate", rate, "burst", "32kb", "latency", "400ms"]


def device_of(ask: Mapping[str, Any]) -> str:
    """The network device that is meant; by default the one to everybody else.

    Raises:
        Refusal: There is none.
    """
    named = str(ask.get("device") or "")
    if not named:
        words = _run("ip", "route", "show", "default").split()
        if "dev" not in words:
            msg = "there is no default route, so the device to the network is not known; name one"
            raise Refusal(msg)
        named = words[words.index("dev") + 1]
    if not Path("/sys/class/net", named).exists():
        msg = f"there is no network device {named!r}; `ip link` names those there are"
        raise Refusal(msg)
    return named


def _free(device: str, ours: bool) -> None:
    """Refuse to replace a queueing discipline that another program has set."""
    for found in json.loads(_run("tc", "-j", "qdisc", "show", "dev", device) or "[]"):
        if (
            found.get("root")
            and found["kind"] not in _USUAL
            and not (ours and found["handle"] == _HANDLE)
        ):
            msg = (
                f"device {device} has a discipline {found['kind']!r} that somebody else put there; "
                f"remove it (tc qdisc del dev {device} root), or take another device"
            )
            raise Refusal(msg)


def _ours(device: str) -> Mapping[str, Any] | None:
    with suppress(Refusal):
        for found in json.loads(_run("tc", "-s", "-j", "qdisc", "show", "dev", device) or "[]"):
            if found.get("handle") == _HANDLE:
                return dict(found)
    return None


def _send(device: str) -> None:
    route = _run("ip", "route", "show", "default").split()
    to = route[route.index("via") + 1] if "via" in route and device != "lo" else "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
        for _ in range(_SENT):
            with suppress(OSError):
                sender.sendto(b"\0" * 64, (to, 9))


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        message = " ".join((done.stderr or done.stdout).split())
        msg = f"{' '.join(words)} was refused: {message}"
        raise Refusal(msg)
    return done.stdout
