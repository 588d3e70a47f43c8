"""`tc` and `ip` on a node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network import links, routing
from sregym_cluster_embedded.network.links import Link
from sregym_cluster_embedded.node.addresses import gateway_of, network_of, pod_network
from sregym_cluster_embedded.userland.host.disturbances import (
    UPLINK,
    Interface,
    address_of,
    disturbances,
    interfaces,
    shaping,
)
from sregym_cluster_embedded.userland.shell.interfaces import hardware
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.host.disturbances import Disturbance

_DEFAULT = (
    "fq_codel 0: dev {} root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms "
    "memory_limit 32Mb ecn drop_batch 64 "
)
_DENIED = Output(2, "", "RTNETLINK answers: Operation not permitted\n")
_BRIDGE = "cni0"


def _where(session: Session) -> tuple[list[Interface], list[Disturbance]]:
    world, node = session.world, session.process.config.node
    return interfaces(world, node), disturbances(world, node)


def _tc(session: Session, words: list[str], _stdin: str) -> Output:
    rest = [word for word in words[1:] if not word.startswith("-")]
    what, verb = (rest[0] if rest else ""), (rest[1] if len(rest) > 1 else "show")
    device = rest[rest.index("dev") + 1] if "dev" in rest[:-1] else ""
    known, disturbed = _where(session)
    names = ["lo", _BRIDGE, *(one.name for one in known)]
    if device and device not in names:
        return Output(1, "", f'Cannot find device "{device}"\n')
    if verb in ("show", "list", "ls"):
        if what in ("qdisc", "q", "qd"):
            return Output(
                0,
                "".join(_shown(name, disturbed) for name in names if device in ("", name)),
            )
        if what in ("filter", "f"):
            return Output(0, _filters(session, device, disturbed))
        return Output()
    if what not in ("qdisc", "q", "qd", "filter", "f"):
        return Output(1, "", f'Object "{what}" is unknown, try "tc help".\n')
    if not session.rights.has("NET_ADMIN"):
        return _DENIED
    if verb in ("del", "delete"):
        return _deleted(session, device, rest, disturbed)
    if verb in ("add", "replace", "change") and "netem" in rest:
        return _netem(session, device, rest[rest.index("netem") + 1 :], known)
    return Output(1, "", 'What is "' + (rest[-1] if rest else "") + '"?\n')


def _at(device: str, disturbed: list[Disturbance]) -> list[Disturbance]:
    return [one for one in disturbed if one.interface.name == device and shaping(one.link)]


def _shown(device: str, disturbed: list[Disturbance]) -> str:
    own = _at(device, disturbed)
    if not own:
        plain = (
            f"noqueue 0: dev {device} root refcnt 2 "
            if device != UPLINK
            else _DEFAULT.format(device)
        )
        return f"qdisc {plain}\n"
    if len(own) == 1 and _whole(own[0]):
        return f"qdisc netem 8001: dev {device} root refcnt 2 limit 1000 {shaping(own[0].link)}\n"
    bands = 3 + len(own)
    out = f"qdisc prio 1: dev {device} root refcnt 2 bands {bands} priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
    for number, one in enumerate(own, start=4):
        out += f"qdisc netem {number}0: dev {device} parent 1:{number} limit 1000 {shaping(one.link)}\n"
    return out


def _whole(one: Disturbance) -> bool:
    """Whether a disturbance meets all that leaves through its interface."""
    source, target = one.key
    return source == "*" if one.interface.pod is not None else target == "*"


def _filters(session: Session, device: str, disturbed: list[Disturbance]) -> str:
    own = _at(device, disturbed)
    if len(own) == 1 and _whole(own[0]):
        return ""
    out = ""
    for number, one in enumerate(own, start=4):
        towards = one.interface.pod is None
        address = address_of(session.world, one.key[1] if towards else one.key[0]) or "0.0.0.0/0"
        side = "dst" if towards else "src"
        out += f"filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::80{number} order 20{number} flowid 1:{number}\n"
        out += f"  match {side} {address}\n"
    return out


def _deleted(
    session: Session, device: str, rest: list[str], disturbed: list[Disturbance]
) -> Output:
    own = _at(device, disturbed)
    if not own:
        return Output(2, "", "Error: Cannot delete qdisc with handle of zero.\n")
    parent = rest[rest.index("parent") + 1] if "parent" in rest[:-1] else ""
    if parent:
        own = [one for number, one in enumerate(own, start=4) if parent == f"1:{number}"]
        if not own:
            return Output(2, "", "Error: Failed to find qdisc with specified classid.\n")
    for one in own:
        clear(session, one)
    return Output()


def clear(session: Session, one: Disturbance) -> None:
    """Take away what delays, loses or holds back; a rule that cuts besides stays."""
    if one.link.fails is None:
        links.clear_link(session.world, *one.key)
    else:
        links.set_link(session.world, *one.key, Link(fails=one.link.fails))


_FIELDS = {
    "delay": "latency_ms",
    "loss": "loss",
    "duplicate": "duplicated",
    "rate": "bandwidth_mbit",
}
_TIME = re.compile(r"([\d.]+)(s|ms|us|)")
_RATE = re.compile(r"([\d.]+)(gbit|mbit|kbit|bit)")
_MBIT = {"gbit": 1000.0, "mbit": 1.0, "kbit": 0.001, "bit": 1e-6}


def _netem(session: Session, device: str, words: list[str], known: list[Interface]) -> Output:
    interface = next((one for one in known if one.name == device), None)
    values = {"latency_ms": 0.0, "jitter_ms": 0.0, "loss": 0.0, "bandwidth_mbit": 0.0}
    values["duplicated"] = 0.0
    rest, last = list(words), ""
    while rest:
        word = rest.pop(0)
        if word in ("delay", "loss", "duplicate", "rate", "limit"):
            last, field = (
                word,
                _FIELDS.get(word, ""),
            )
            value = rest.pop(0) if rest else ""
            if word == "loss" and value == "random" and rest:
                value = rest.pop(0)
            number = _value(word, value)
            if number is None:
                return Output(1, "", f'Illegal "{word}"\n')
            if field:
                values[field] = number
        elif last == "delay" and (jitter := _value("delay", word)) is not None:
            values["jitter_ms"], last = jitter, ""
        elif word not in (
            "distribution",
            "normal",
            "pareto",
            "paretonormal",
            "uniform",
        ) and not word.endswith("%"):
            return Output(1, "", f'What is "{word}"?\n')
    if interface is None:
        return Output(2, "", "RTNETLINK answers: Operation not supported\n")
    key = (
        ("*", f"pod:{interface.pod.uid}")
        if interface.pod
        else (f"node:{session.process.config.node}", "*")
    )
    links.set_link(
        session.world,
        *key,
        Link(
            values["latency_ms"],
            values["jitter_ms"],
            values["loss"],
            values["bandwidth_mbit"],
            duplicated=values["duplicated"],
        ),
    )
    return Output()


def _value(kind: str, text: str) -> float | None:
    if kind == "limit":
        return float(text) if text.isdecimal() else None
    if kind in ("loss", "duplicate"):
        found = re.fullmatch(r"([\d.]+)%?", text)
        return None if found is None else min(1.0, float(found.group(1)) / 100)
    found = (_TIME if kind == "delay" else _RATE).fullmatch(text.lower())
    if found is None:
        return None
    number, unit = float(found.group(1)), found.group(2)
    if kind == "rate":
        return number * _MBIT[unit]
    return number * {"s": 1000.0, "ms": 1.0, "us": 0.001, "": 0.001}[unit]


def _ip(session: Session, words: list[str], _stdin: str) -> Output:
    flags = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    rest = [word for word in words[1:] if not word.startswith("-")]
    what, verb = (rest[0] if rest else ""), (rest[1] if len(rest) > 1 else "show")
    if not what:
        return Output(255, "", "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\n")
    if verb in ("add", "del", "delete", "set", "flush", "replace", "change"):
        if not session.rights.has("NET_ADMIN"):
            return _DENIED
        return Output(2, "", "RTNETLINK answers: Device or resource busy\n")
    if "address".startswith(what):
        return _addresses(session, flags, rest[1:], addressed=True)
    if "link".startswith(what):
        return _addresses(session, flags, rest[1:], addressed=False)
    if "route".startswith(what):
        return Output(0, _routes(session, rest[1:]))
    if "neighbour".startswith(what) or what == "neighbor":
        return Output(0, _neighbours(session))
    if "rule".startswith(what):
        return Output(
            0,
            "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
        )
    return Output(1, "", f'Object "{what}" is unknown, try "ip help".\n')


def _addresses(session: Session, flags: str, rest: list[str], *, addressed: bool) -> Output:
    own = session.process.config.pod_ip
    gateway = _gateway(session)
    rows = [("lo", 1, "<LOOPBACK,UP,LOWER_UP>", 65536, "127.0.0.1/8", "host lo", "")]
    rows.append(
        (UPLINK, 2, "<BROADCAST,MULTICAST,UP,LOWER_UP>", 1500, f"{own}/16", f"global {UPLINK}", "")
    )
    rows.append(
        (
            _BRIDGE,
            3,
            "<BROADCAST,MULTICAST,UP,LOWER_UP>",
            1500,
            f"{gateway}/24",
            f"global {_BRIDGE}",
            "",
        )
    )
    for one in _where(session)[0][1:]:
        rows.append(
            (one.name, one.number, "<BROADCAST,MULTICAST,UP,LOWER_UP>", 1500, "", "", "@if2")
        )
    names = [word for word in rest if word not in ("show", "list", "ls", "dev", "up", "s", "a")]
    if names and names[0] not in [row[0] for row in rows]:
        return Output(1, "", f'Device "{names[0]}" does not exist.\n')
    out = ""
    for name, number, state, mtu, address, scope, peer in rows:
        if names and name != names[0]:
            continue
        mac = (
            "00:00:00:00:00:00"
            if name == "lo"
            else f"52:54:{hardware(address.partition('/')[0] or gateway)}"
        )
        kind = "loopback" if name == "lo" else "ether"
        up = "UNKNOWN" if name == "lo" else "UP"
        if "br" in flags:
            shown = address if addressed else f"{mac} {state}"
            out += f"{name + peer:<16} {up:<14} {shown} \n"
            continue
        discipline = _shown(name, _where(session)[1]).split()[1]
        master = f" master {_BRIDGE}" if peer else ""
        out += f"{number}: {name}{peer}: {state} mtu {mtu} qdisc {discipline}{master} state {up} group default qlen 1000\n"
        out += f"    link/{kind} {mac} brd {'00:00:00:00:00:00' if name == 'lo' else 'ff:ff:ff:ff:ff:ff'}\n"
        if addressed and address:
            out += f"    inet {address} scope {scope}\n       valid_lft forever preferred_lft forever\n"
    return Output(0, out)


def _gateway(session: Session) -> str:
    machine = machines.machine(session.world, session.process.config.node)
    base = pod_network(0 if machine is None else machine.number).partition("/")[0]
    return f"{base.rpartition('.')[0]}.1"


def _routes(session: Session, rest: list[str]) -> str:
    world, own = session.world, session.process.config.pod_ip
    if rest[:1] == ["get"] and len(rest) > 1:
        return f"{rest[1]} dev {UPLINK} src {own} uid 0 \n    cache \n"
    out = f"default via {gateway_of(own)} dev {UPLINK} onlink \n"
    for machine in machines.machines(world):
        network, address = pod_network(machine.number), machine.address
        if address == own:
            out += f"{network} dev {_BRIDGE} proto kernel scope link src {_gateway(session)} \n"
        elif not routing.lost(world, session.process.config.node, machine.name):
            out += f"{network} via {address} dev {UPLINK} \n"
    return f"{out}{network_of(own)} dev {UPLINK} proto kernel scope link src {own} \n"


def _neighbours(session: Session) -> str:
    out = ""
    for machine in machines.machines(session.world):
        address = machine.address
        if address != session.process.config.pod_ip:
            state = "REACHABLE" if machine.powered else "FAILED"
            mac = f"lladdr 52:54:{hardware(address)} " if machine.powered else ""
            out += f"{address} dev {UPLINK} {mac}{state} \n"
    for one in _where(session)[0][1:]:
        if one.pod is not None:
            out += f"{one.pod.ip} dev {_BRIDGE} lladdr 0a:58:{hardware(one.pod.ip)} REACHABLE \n"
    return out


CONTROL_COMMANDS: dict[str, Command] = {"ip": _ip, "tc": _tc}
