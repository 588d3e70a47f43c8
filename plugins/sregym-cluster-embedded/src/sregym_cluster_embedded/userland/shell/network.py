"""Commands that open connections or look at them: nc, ping, telnet, traceroute, ss, netstat, ip."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.userland.connections import ESTABLISHED, LISTEN, SYN_SENT
from sregym_cluster_embedded.userland.files.figures import carried
from sregym_cluster_embedded.userland.shell.dns_queries import unresolved
from sregym_cluster_embedded.userland.shell.interfaces import INTERFACE_COMMANDS, routes
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import WORDS, connect, server_reply, wait_for
from sregym_cluster_embedded.userland.shell.ss import name_of, sockets_of, ss

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.icmp import Echo
    from sregym_cluster_embedded.userland.connections import Socket

# As netstat calls states, and what is sent in them and not yet acknowledged.
_NETSTAT_STATES = {
    LISTEN: ("LISTEN", 0),
    ESTABLISHED: ("ESTABLISHED", 0),
    SYN_SENT: ("SYN_SENT", 1),
}
_NC_USAGE = """BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.

Usage: nc [-iN] [-wN] [-l] [-p PORT] [-f FILE|IPADDR PORT] [-e PROG]

Open a pipe to IP:PORT or FILE

	-l	Listen mode, for inbound connects
		(use -ll with -e for persistent server)
	-p PORT	Local port
	-w SEC	Connect timeout
	-i SEC	Delay interval for lines sent
	-f FILE	Use file (ala /dev/ttyS0) instead of network
	-e PROG	Run PROG after connect
"""


def _nc(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "wipqsX")
    debian_busybox = session.flavour == "busybox"
    unknown = next((letter for letter in flags if letter not in "iwlpfe"), "")
    if debian_busybox and unknown:
        return Output(1, "", f"nc: invalid option -- '{unknown}'\n{_NC_USAGE}")
    if len(operands) < 2:
        return Output(
            1,
            "",
            _NC_USAGE
            if session.is_busybox("nc")
            else "usage: nc [-46CDdFhklNnrStUuvZz] [-I length] [-i interval]\n",
        )
    host = operands[0]
    limit_s = float(flags["w"]) if flags.get("w", "").isdecimal() else None
    first, dash, last = operands[1].partition("-")
    ports = [int(first)] if first.isdecimal() else [0]
    if dash and last.isdecimal() and "z" in flags:
        ports = list(range(ports[0], min(int(last), ports[0] + 1024) + 1))
    code, out, err = 1, "", ""
    for port in ports:
        result = _nc_port(session, flags, host, port, limit_s, stdin)
        code, out, err = min(code, result.code), out + result.out, err + result.err
    return Output(code, out, err)


def _nc_port(
    session: Session, flags: dict[str, str], host: str, port: int, limit_s: float | None, stdin: str
) -> Output:
    if "u" in flags and "z" in flags:
        shown = f"Connection to {host} {port} port [udp/*] succeeded!\n"
        return Output(0, "", shown if "v" in flags else "")
    target = connect(session, host, port)
    ip = target.facts["ip"]
    if target.kind in ("", "protocol"):
        answer = "" if "z" in flags else server_reply(session, target, stdin)
        if session.is_busybox("nc"):
            shown = f"{host} ({ip}:{port}) open\n"
        else:
            shown = f"Connection to {host} ({ip}) {port} port [tcp/*] succeeded!\n"
        return Output(0, answer, shown if "v" in flags else "")
    if target.kind == "dns":
        if session.is_busybox("nc"):
            return Output(1, "", f"nc: bad address '{host}'\n")
        why = unresolved(session, host)
        return Output(1, "", f'nc: getaddrinfo for host "{host}" port {port}: {why}\n')
    if target.kind == "timeout":
        wait_for(session, limit_s)
    words = WORDS.get(target.kind, "Connection refused")
    if session.is_busybox("nc"):
        if target.kind == "timeout" and limit_s is not None:
            words = "Operation timed out" if session.flavour == "alpine" else "timed out"
            if session.flavour == "busybox":
                return Output(1, "", "nc: timed out\n")
        if session.flavour == "alpine":
            shown = f"nc: {host} ({ip}:{port}): {words}\n"
            return Output(1, "", shown if "v" in flags else "")
        return Output(1, "", f"nc: can't connect to remote host ({ip}): {words}\n")
    if target.kind == "timeout" and limit_s is not None:
        words = "Operation now in progress"
    shown = f"nc: connect to {host} ({ip}) port {port} (tcp) failed: {words}\n"
    return Output(1, "", shown if "v" in flags else "")


def _telnet(session: Session, words: list[str], stdin: str) -> Output:
    _, operands = options(words)
    if not operands:
        return Output(1, "", "telnet: missing host\n")
    host = operands[0]
    port = int(operands[1]) if len(operands) > 1 and operands[1].isdecimal() else 23
    target = connect(session, host, port)
    ip = target.facts["ip"]
    if target.kind == "dns":
        if session.busybox:
            return Output(1, "", f"telnet: bad address '{host}'\n")
        why = unresolved(session, host)
        return Output(1, "", f"telnet: could not resolve {host}/{port}: {why}\n")
    if target.kind in ("", "protocol"):
        answer = server_reply(session, target, stdin)
        if session.busybox:
            return Output(0, f"Connected to {host}\n{answer}", "")
        greeting = f"Trying {ip}...\nConnected to {host}.\nEscape character is '^]'.\n"
        return Output(1, greeting + answer, "Connection closed by foreign host.\n")
    if target.kind == "timeout":
        wait_for(session, None)
    words_of = WORDS.get(target.kind, "Connection refused")
    if session.busybox:
        return Output(1, "", f"telnet: can't connect to remote host ({ip}): {words_of}\n")
    return Output(1, f"Trying {ip}...\n", f"telnet: Unable to connect to remote host: {words_of}\n")


def _echo(session: Session, host: str) -> Echo:
    """Whether an address answers pings."""
    pod = session.files.container.pod
    found: Echo = session.world.service(NETWORK).echo(session.world, pod, host)
    return found


def _ping(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "cWwisIt")
    host = operands[0] if operands else ""
    if not host:
        return Output(1, "", "ping: usage error: Destination address required\n")
    if not session.rights.has("NET_RAW") and session.is_busybox("ping"):
        return Output(1, "", "ping: permission denied (are you root?)\n")
    found = _echo(session, host)
    if found.outcome is Outcome.NAME:
        if session.is_busybox("ping"):
            return Output(1, "", f"ping: bad address '{host}'\n")
        return Output(2, "", f"ping: {host}: {unresolved(session, host)}\n")
    count = int(flags["c"]) if flags.get("c", "").isdecimal() else 5
    if found.outcome is Outcome.UNREACHABLE:
        head = (
            f"PING {host} ({found.address}): 56 data bytes\n" if session.is_busybox("ping") else ""
        )
        return Output(1, head, "ping: sendto: Network is unreachable\n")
    pings = _pings(session, found, count)
    silent = len(pings) < count
    number = re.fullmatch(r"\d+\.?\d*|\.\d+", flags.get("i", ""))
    took_s = max(0, count - 1) * (float(number.group()) if number else 1.0)
    session.slept_s += took_s + (float(flags.get("W", "10")) if silent else 0)
    return _pinged(session, host, found, count, pings, took_s, quiet="q" in flags)


def _pings(session: Session, found: Echo, count: int) -> dict[int, float]:
    """Milliseconds until each answer, by number; those that are lost are not there."""
    if found.outcome is not Outcome.CONNECTED:
        return {}
    seed, now, path = session.world.seed, session.world.now, found.path
    pings: dict[int, float] = {}
    for number in range(count):
        if seed.fraction("lost", found.address, number, now) >= path.loss:
            spread = 2 * seed.fraction("jitter", found.address, number, now) - 1
            # Evenly spread over so much to each side it has the standard deviation wanted.
            delay = path.latency_ms + spread * path.jitter_ms * 3**0.5
            own = 0.08 + seed.fraction("ping", found.address, number, now) / 20
            pings[number] = own + max(0.0, delay)
    return pings


def _pinged(
    session: Session,
    host: str,
    found: Echo,
    count: int,
    pings: dict[int, float],
    took_s: float,
    *,
    quiet: bool,
) -> Output:
    ip, times, got = found.address, list(pings.values()), len(pings)
    if session.is_busybox("ping"):
        out = f"PING {host} ({ip}): 56 data bytes\n"
        for number, taken in () if quiet else pings.items():
            out += f"64 bytes from {ip}: seq={number} ttl={found.ttl} time={taken:.3f} ms\n"
    else:
        out = f"PING {host} ({ip}) 56(84) bytes of data.\n"
        for number, taken in () if quiet else pings.items():
            # Three digits of a time are shown.
            places = 3 if taken < 1 else 2 if taken < 10 else 1 if taken < 100 else 0
            shown = f"icmp_seq={number + 1} ttl={found.ttl} time={taken:.{places}f} ms"
            out += f"64 bytes from {ip}: {shown}\n"
    lost = round(100 * (count - got) / count) if count else 0
    out += f"\n--- {host} ping statistics ---\n{count} packets transmitted, {got} "
    out += (
        f"packets received, {lost}% packet loss\n"
        if session.is_busybox("ping")
        else f"received, {lost}% packet loss, time {round(took_s * 1000)}ms\n"
    )
    if not got:
        return Output(1, out if session.is_busybox("ping") else f"{out}\n")
    low, mean, high = min(times), sum(times) / got, max(times)
    if session.is_busybox("ping"):
        return Output(0, f"{out}round-trip min/avg/max = {low:.3f}/{mean:.3f}/{high:.3f} ms\n")
    spread = (sum(taken**2 for taken in times) / got - mean**2) ** 0.5
    shown = f"{low:.3f}/{mean:.3f}/{high:.3f}/{spread:.3f}"
    return Output(0, f"{out}rtt min/avg/max/mdev = {shown} ms\n")


def _traceroute(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "mwqpf")
    host = operands[0] if operands else ""
    found = _echo(session, host)
    ip = found.address
    if found.outcome is Outcome.NAME:
        return Output(1, "", f"traceroute: bad address '{host}'\n")
    out = f"traceroute to {host} ({ip}), 30 hops max, 46 byte packets\n"
    gateway = ".".join([*session.process.config.pod_ip.split(".")[:3], "1"])
    out += f" 1  {gateway} ({gateway})  0.006 ms  0.005 ms  0.003 ms\n"
    if found.outcome is not Outcome.CONNECTED:
        most = int(flags["m"]) if flags.get("m", "").isdecimal() else 30
        return Output(0, out + "".join(f"{hop:>2}  *  *  *\n" for hop in range(2, most + 1)))
    return Output(0, f"{out} 2  {host} ({ip})  0.104 ms  0.085 ms  0.081 ms\n")


def _netstat(session: Session, words: list[str], _stdin: str) -> Output:
    flags, _ = options(words)
    if "i" in flags and not session.busybox:
        return Output(0, _interface_table())
    if {"r"} & set(flags):
        return routes(session, numeric="n" in flags, by_netstat=True)
    title = (
        "(only servers)"
        if "l" in flags
        else "(servers and established)"
        if "a" in flags
        else "(w/o servers)"
    )
    out = f"Active Internet connections {title}\n"
    out += "Proto Recv-Q Send-Q Local Address           Foreign Address         State       "
    out += "PID/Program name    \n" if "p" in flags else "\n"
    asks_tcp = "t" in flags or not {"u", "x", "w"} & set(flags)
    for one in sockets_of(session) if asks_tcp else []:
        if "a" not in flags and ("l" in flags) != (one.state == LISTEN):
            continue
        name = ""
        if "p" in flags:
            own = one.process.ref == session.process.ref
            name = f"{f'1/{name_of(session, one.process)}' if own else '-':<20}"
        out += _netstat_row(one, name, mapped=session.busybox)
    if not {"t", "l", "u"} & set(flags):
        out += "Active UNIX domain sockets " + title + "\n"
        out += "Proto RefCnt Flags       Type       State         I-Node Path\n"
    return Output(0, out)


def _netstat_row(one: Socket, name: str, *, mapped: bool) -> str:
    """A socket; `mapped` for BusyBox, to which both versions are the same protocol."""
    ends = []
    for end in (one.here, one.there):
        any_ = "::" if one.is_v6 else "0.0.0.0"  # noqa: S104 - as it is shown
        shown = end.ip and ("::ffff:" if mapped and one.is_v6 else "") + end.ip
        ends.append(f"{shown or any_}:{end.port or '*'}")
    protocol = "tcp6" if one.is_v6 and not mapped else "tcp"
    state, sent = _NETSTAT_STATES[one.state]
    return f"{protocol:<5} {0:>6} {sent:>6} {ends[0]:<23} {ends[1]:<23} {state:<11} {name}\n"


def _interface_table() -> str:
    """`netstat -i`."""
    out = "Kernel Interface table\n"
    out += "Iface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
    for name, mtu, flags in (("eth0", 1500, "BMRU"), ("lo", 65536, "LRU")):
        _, received, _, sent = carried(name)
        out += f"{name:<15} {mtu:>5} {received:>8}      0      0 0      {sent:>8}      0      0      0 {flags}\n"
    return out


NETWORK_COMMANDS: dict[str, Command] = {
    **INTERFACE_COMMANDS,
    "nc": _nc,
    "netstat": _netstat,
    "ping": _ping,
    "ss": ss,
    "telnet": _telnet,
    "traceroute": _traceroute,
}
