"""ip, ifconfig and route: the interfaces of a pod and its routes."""

from __future__ import annotations

from typing import NamedTuple

from sregym_cluster_embedded.userland.files.figures import carried
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.usage_errors import usage_of

_LIFE = "valid_lft forever preferred_lft forever"
_OBJECTS = ("address", "link", "neigh", "route", "rule", "tunnel")
# BusyBox begins its table of rules with tabs, iproute2 as well.
_RULES = (
    "0:\tfrom all lookup local",
    "32766:\tfrom all lookup main",
    "32767:\tfrom all lookup default",
)


class _Interface(NamedTuple):
    """A network interface; `peer` is what stands behind its `@`."""

    number: int
    name: str
    peer: str
    flags: str
    mtu: int
    link: str
    address: str
    scope: str


def _interfaces(session: Session) -> list[_Interface]:
    own = session.process.config.pod_ip
    base = ".".join(own.split(".")[:3])
    return [
        _Interface(
            1, "lo", "", "<LOOPBACK,UP,LOWER_UP>", 65536,
            "link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00", "127.0.0.1/8", "host lo",
        ),
        _Interface(
            2, "eth0", "@if7", "<BROADCAST,MULTICAST,UP,LOWER_UP>", 1500,
            f"link/ether 0a:58:{hardware(own)} brd ff:ff:ff:ff:ff:ff",
            f"{own}/24 brd {base}.255", "global eth0",
        ),
    ]  # fmt: skip


def hardware(address: str) -> str:
    """The last four bytes of the hardware address that belongs to an address of a pod."""
    return ":".join(f"{int(part):02x}" for part in address.split(".") if part.isdecimal())


def _ip(session: Session, words: list[str], _stdin: str) -> Output:
    flags = "".join(word[1:] for word in words[1:] if word.startswith("-"))
    plain = [word for word in words[1:] if not word.startswith("-")]
    what = next((name for name in _OBJECTS if plain and name.startswith(plain[0])), "")
    if session.is_busybox("ip") and (not what or "s" in flags):
        return Output(1, "", usage_of(session, "ip"))
    if not plain:
        return Output(255, "", "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\n")
    if not what:
        return Output(1, "", f'Object "{plain[0]}" is unknown, try "ip help".\n')
    rest = plain[1:]
    if {"add", "del", "delete", "set", "flush", "change", "replace"} & set(rest[:1]):
        if session.is_busybox("ip"):
            verb = "ioctl 0x8914 failed" if what == "link" else "RTNETLINK answers"
            return Output(1, "", f"ip: {verb}: Operation not permitted\n")
        return Output(2, "", "RTNETLINK answers: Operation not permitted\n")
    if what == "rule":
        end = " \n" if session.is_busybox("ip") else "\n"
        return Output(0, "".join(row + end for row in _RULES))
    if what in ("neigh", "tunnel"):
        return Output()
    if what == "route":
        return _ip_route(session, rest)
    return _ip_show(session, what, rest, flags)


def _ip_route(session: Session, rest: list[str]) -> Output:
    own = session.process.config.pod_ip
    base = ".".join(own.split(".")[:3])
    if rest[:1] == ["get"] and len(rest) > 1:
        goal = rest[1]
        via = "" if goal.startswith(f"{base}.") else f"via {base}.1 "
        if goal.startswith("127.") or goal == own:
            local = f"local {goal} dev lo "
            return Output(
                0,
                f"{local} src {goal} \n"
                if session.is_busybox("ip")
                else f"{local}src {goal} uid 0 \n    cache <local> \n",
            )
        if session.is_busybox("ip"):
            return Output(0, f"{goal} {via}dev eth0  src {own} \n")
        return Output(0, f"{goal} {via}dev eth0 src {own} uid 0 \n    cache \n")
    how = "scope link  src" if session.is_busybox("ip") else "proto kernel scope link src"
    return Output(0, f"default via {base}.1 dev eth0 \n{base}.0/24 dev eth0 {how} {own} \n")


def _ip_show(session: Session, what: str, rest: list[str], flags: str) -> Output:
    known = _interfaces(session)
    names = [
        word for word in rest if word not in ("show", "list", "s", "sh", "l", "ls", "dev", "up")
    ]
    if names and not any(each.name == names[0] for each in known):
        if session.is_busybox("ip"):
            return Output(1, "", f"ip: can't find device '{names[0]}'\n")
        return Output(1, "", f'Device "{names[0]}" does not exist.\n')
    shown = [each for each in known if not names or each.name == names[0]]
    out = ""
    for each in shown:
        addressed = [f"inet {each.address} scope {each.scope}", f"   {_LIFE}"]
        if "o" in flags and what == "address":
            out += f"{each.number}: {each.name}    {addressed[0]}\\    {addressed[1]}\n"
            continue
        if "br" in flags:
            state = "UNKNOWN" if each.name == "lo" else "UP"
            if what == "link":
                hard = each.link.split()[1]
                out += f"{each.name + each.peer:<16} {state:<14} {hard} {each.flags} \n"
                continue
            out += f"{each.name + each.peer:<16} {state:<14} {each.address.split()[0]} \n"
            continue
        by_busybox = session.is_busybox("ip")
        queue = "qdisc noqueue qlen 1000" if by_busybox else _queue(each, mode=what == "link")
        lines = [f"{each.number}: {each.name}{each.peer}: {each.flags} mtu {each.mtu} {queue}"]
        if "4" not in flags or what == "link":
            namespace = " link-netnsid 0" if each.peer and not session.is_busybox("ip") else ""
            lines.append(f"    {each.link}{namespace}")
        if "s" in flags:
            lines += _carried(each.name)
        if what == "address":
            lines += [f"    {line}" for line in addressed]
        out += "".join(f"{line}\n" for line in lines)
    return Output(0, out)


def _queue(each: _Interface, *, mode: bool) -> str:
    shown = "mode DEFAULT " if mode else ""
    state = "UNKNOWN" if each.name == "lo" else "UP"
    last = "default qlen 1000" if each.name == "lo" else "default "
    return f"qdisc noqueue state {state} {shown}group {last}"


def _carried(name: str) -> list[str]:
    """The lines of `ip -s link`."""
    into, received, out, sent = carried(name)
    return [
        "    RX:  bytes packets errors dropped  missed   mcast           ",
        f"    {into:>10} {received:>7}      0       0       0       0 ",
        "    TX:  bytes packets errors dropped carrier collsns           ",
        f"    {out:>10} {sent:>7}      0       0       0       0 ",
    ]


def _ifconfig(session: Session, words: list[str], _stdin: str) -> Output:
    names = [word for word in words[1:] if not word.startswith("-")]
    own = session.process.config.pod_ip
    base = ".".join(own.split(".")[:3])
    parts = {
        "eth0": (
            f"eth0      Link encap:Ethernet  HWaddr 0A:58:{hardware(own).upper()}  \n"
            f"          inet addr:{own}  Bcast:{base}.255  Mask:255.255.255.0\n"
            "          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n" + _counters("eth0")
        ),
        "lo": (
            "lo        Link encap:Local Loopback  \n"
            "          inet addr:127.0.0.1  Mask:255.0.0.0\n"
            "          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n" + _counters("lo")
        ),
    }
    if len(names) > 1:
        return Output(1, "", f"{words[0]}: SIOCSIFADDR: Operation not permitted\n")
    if names and names[0] not in parts:
        why = "error fetching interface information: Device not found"
        head = "" if not session.busybox else f"{words[0]}: "
        return Output(1, "", f"{head}{names[0]}: {why}\n")
    return Output(0, "".join(f"{text}\n" for name, text in parts.items() if names in ([], [name])))


def _counters(name: str) -> str:
    into, received, out, sent = carried(name)
    return (
        f"          RX packets:{received} errors:0 dropped:0 overruns:0 frame:0\n"
        f"          TX packets:{sent} errors:0 dropped:0 overruns:0 carrier:0\n"
        "          collisions:0 txqueuelen:1000 \n"
        f"          RX bytes:{into} ({_size(into)})  TX bytes:{out} ({_size(out)})\n"
    )


def _size(amount: int) -> str:
    return f"{amount / 1024:.1f} KiB" if amount >= 1024 else f"{amount}.0 B"


def _route(session: Session, words: list[str], _stdin: str) -> Output:
    return routes(session, numeric="n" in options(words)[0])


def routes(session: Session, *, numeric: bool, by_netstat: bool = False) -> Output:
    """The table of routes, as `route` and `netstat -r` show it."""
    base = ".".join(session.process.config.pod_ip.split(".")[:3])
    any_, none = ("0.0.0.0", "0.0.0.0") if numeric else ("default", "*")  # noqa: S104 - routes
    mask = "0.0.0.0"  # noqa: S104 - that of the default route
    rows = ((any_, f"{base}.1", mask, "UG"), (f"{base}.0", none, "255.255.255.0", "U"))
    last = "MSS Window  irtt" if by_netstat else "Metric Ref    Use"
    head = "Flags   " if by_netstat else "Flags "
    out = f"Kernel IP routing table\nDestination     Gateway         Genmask         {head}{last} Iface\n"
    cells = "    0 0          0" if by_netstat else "0      0        0"
    for row in rows:
        out += f"{row[0]:<15} {row[1]:<15} {row[2]:<15} {row[3]:<5} {cells} eth0\n"
    return Output(0, out)


INTERFACE_COMMANDS: dict[str, Command] = {"ifconfig": _ifconfig, "ip": _ip, "route": _route}
