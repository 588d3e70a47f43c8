"""Commands that look names up: nslookup of BusyBox and of BIND, dig, host, getent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.network.records import Reply, is_address, reverse_name
from sregym_cluster_embedded.network.resolver import hosts_of
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.records import Record

_CODES = {"nxdomain": "NXDOMAIN", "servfail": "SERVFAIL", "refused": "REFUSED"}
_SILENT = ("timeout", "closed", "unreachable")
_CAUSES = {"closed": "Connection refused", "unreachable": "Network is unreachable"}
_NO_SERVERS = ";; connection timed out; no servers could be reached\n"
# Seconds until a command gives a silent server up.
_BUSYBOX_S, _BIND_S = 5.0, 15.0
_BUSYBOX_TYPES = ("soa", "ns", "a", "aaaa", "cname", "mx", "txt", "srv", "ptr", "any")
_NSLOOKUP_USAGE = """\
BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.

Usage: nslookup [-type=QUERY_TYPE] [-debug] HOST [DNS_SERVER]

Query DNS about HOST

QUERY_TYPE: soa,ns,a,aaaa,cname,mx,txt,srv,ptr,any
"""


class _Place(NamedTuple):
    """Who asks: the pod, and what its /etc/resolv.conf says now."""

    pod: Object
    servers: tuple[str, ...]
    searches: tuple[str, ...]
    ndots: int


class _Asked(NamedTuple):
    """A question of one command, and how it was answered."""

    name: str
    kind: str
    reply: Reply


def _place(session: Session) -> _Place:
    ref = session.process.ref
    nothing: Object = {"metadata": {"namespace": ref.namespace, "name": ref.pod}, "spec": {}}
    pod = session.world.store.get(Key("pods", ref.namespace, ref.pod)) or nothing
    servers: list[str] = []
    searches: tuple[str, ...] = ()
    ndots = 1
    # Tools read the file: somebody may have written to it.
    for line in (session.files.read("/etc/resolv.conf") or "").splitlines():
        words = line.split()
        if words[:1] == ["nameserver"] and len(words) > 1:
            servers.append(words[1])
        elif words[:1] == ["search"]:
            searches = tuple(words[1:])
        elif words[:1] == ["options"]:
            for option in words[1:]:
                name, _, value = option.partition(":")
                ndots = int(value) if name == "ndots" and value.isdecimal() else ndots
    return _Place(pod, tuple(servers) or ("127.0.0.1",), searches, ndots)


def _ask(session: Session, place: _Place, server: str, name: str, kind: str) -> Reply:
    network: Any = session.world.room("network")
    reply: Reply = network.query(session.world, place.pod, server, name, kind)
    return reply


def _address_of(session: Session, place: _Place, server: str) -> str:
    """The address of a server that may be given by name; empty when that is not found."""
    if is_address(server):
        return server
    found = session.world.room("network").lookup(session.world, place.pod, server)
    return found.addresses[0] if found.status == "ok" else ""


def _nslookup(session: Session, words: list[str], _stdin: str) -> Output:
    return _busybox(session, words) if session.busybox else _bind(session, words)


def _busybox(session: Session, words: list[str]) -> Output:
    kinds, operands = [], []
    for word in words[1:]:
        flag, _, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif flag in ("type", "query", "querytype", "q", "t"):
            if value.lower() not in _BUSYBOX_TYPES:
                return Output(1, "", f'nslookup: invalid query type "{value}"\n')
            kinds.append(value.upper())
    if not operands:
        return Output(1, "", _NSLOOKUP_USAGE)
    place, host = _place(session), operands[0]
    servers = place.servers
    if len(operands) > 1:
        address = _address_of(session, place, operands[1])
        if not address:
            return Output(1, "", f"nslookup: bad address '{operands[1]}'\n")
        servers = (address,)
    questions = _busybox_questions(place, host, kinds)
    asked: list[_Asked] = []
    for server in servers:
        asked = [_Asked(n, k, _ask(session, place, server, n, k)) for n, k in questions]
        if any(one.reply.status not in _SILENT for one in asked):
            return _busybox_answers(session, server, asked)
    cause = _CAUSES.get(asked[0].reply.status, "")
    if cause and len(asked) > 1:
        # What came back for the first question spoils the sending of the second.
        err = f"nslookup: write to '{servers[-1]}': {cause}\n"
        return Output(1, f"{_NO_SERVERS}\n", err)
    session.slept_s += _BUSYBOX_S * len(servers)
    return Output(1, f"{_NO_SERVERS}\n", f"nslookup: read: {cause}\n" * 2 if cause else "")


def _busybox_questions(place: _Place, host: str, kinds: list[str]) -> list[tuple[str, str]]:
    if is_address(host) and (not kinds or kinds == ["PTR"]):
        return [(reverse_name(host), "PTR")]
    bare = host.rstrip(".")
    searched = [bare] if "." in host else [f"{host}.{zone}" for zone in place.searches] or [bare]
    return [(name, kind) for kind in kinds or ["A", "AAAA"] for name in searched]


def _busybox_answers(session: Session, server: str, asked: list[_Asked]) -> Output:
    out, failed = f"Server:\t\t{server}\nAddress:\t{server}:53\n\n", False
    for one in asked:
        code = _CODES.get(one.reply.status)
        if one.reply.status in _SILENT:
            session.slept_s += _BUSYBOX_S
            out += f"*** Can't find {one.name}: No answer\n"
            failed = True
        elif code is not None:
            out += f"** server can't find {one.name}: {code}\n"
            failed = True
        else:
            out += "".join(_line(record) for record in one.reply.records)
        out += "\n"
    return Output(int(failed), out)


def _line(record: Record) -> str:
    """A record as both kinds of nslookup print it."""
    words = {
        "CNAME": "canonical name = {}",
        "PTR": "name = {}",
        "SRV": "service = {}",
        "TXT": "text = {}",
        "MX": "mail exchanger = {}",
        "NS": "nameserver = {}",
    }
    if record.kind == "SOA":
        fields = ("origin", "mail addr", "serial", "refresh", "retry", "expire", "minimum")
        values = [word.rstrip(".") for word in record.data.split()]
        listed = zip(fields, values, strict=False)
        return f"{record.name}\n" + "".join(f"\t{name} = {value}\n" for name, value in listed)
    if record.kind in ("A", "AAAA"):
        return f"Name:\t{record.name}\nAddress: {record.data}\n"
    return f"{record.name}\t{words.get(record.kind, '{}').format(record.data)}\n"


def _candidates(place: _Place, name: str) -> list[str]:
    if name.endswith("."):
        return [name.rstrip(".")]
    searched = [f"{name}.{zone}" for zone in place.searches]
    return [name, *searched] if name.count(".") >= place.ndots else [*searched, name]


def _searched(session: Session, place: _Place, server: str, name: str, kind: str) -> _Asked:
    """Ask for a name with the search list until one is found."""
    asked = _Asked(name, kind, Reply("timeout"))
    for candidate in _candidates(place, name):
        asked = _Asked(candidate, kind, _ask(session, place, server, candidate, kind))
        if asked.reply.status != "nxdomain":
            return asked
    return asked


def _bind(session: Session, words: list[str]) -> Output:
    kind, operands = "", []
    for word in words[1:]:
        flag, _, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            operands.append(word)
        elif flag in ("type", "query", "querytype", "q"):
            kind = value.upper()
    if not operands:
        return Output(0)
    place, host = _place(session), operands[0]
    server = place.servers[0]
    if len(operands) > 1:
        server = _address_of(session, place, operands[1])
        if not server:
            text = f"nslookup: couldn't get address for '{operands[1]}': not found\n"
            return Output(1, "", text)
    if is_address(host):
        question = (reverse_name(host), kind or "PTR")
        asked = _Asked(*question, _ask(session, place, server, *question))
    else:
        asked = _searched(session, place, server, host, kind or "A")
    if asked.reply.status in _SILENT:
        session.slept_s += _BIND_S
        return Output(1, f"{_NO_SERVERS}\n")
    head = f"Server:\t\t{server}\nAddress:\t{server}#53\n\n"
    code = _CODES.get(asked.reply.status)
    if code is not None:
        return Output(1, f"{head}** server can't find {host}: {code}\n\n")
    if not asked.reply.records:
        return Output(0, f"{head}*** Can't find {host}: No answer\n\n")
    lines = []
    for record in asked.reply.records:
        dotted = record.kind in ("CNAME", "PTR", "SRV", "NS", "MX")
        lines.append(_line(record._replace(data=f"{record.data}.") if dotted else record))
    return Output(0, f"{head}{''.join(lines)}\n")


def _dig(session: Session, words: list[str], _stdin: str) -> Output:
    place = _place(session)
    server, kind, name, short, search = place.servers[0], "A", "", False, False
    operands = iter(words[1:])
    for word in operands:
        if word.startswith("@"):
            server = _address_of(session, place, word[1:])
            if not server:
                text = f"dig: couldn't get address for '{word[1:]}': not found\n"
                return Output(10, "", text)
        elif word.startswith("+"):
            short = short or word == "+short"
            search = search or word == "+search"
        elif word == "-x":
            name, kind = reverse_name(next(operands, "0.0.0.0")), "PTR"  # noqa: S104 - a name
        elif word == "-t":
            kind = next(operands, "A").upper()
        elif word.upper() in (kind.upper() for kind in _BUSYBOX_TYPES):
            kind = word.upper()
        elif not word.startswith("-"):
            name = word
    bare = name.rstrip(".")
    if search and not name.endswith("."):
        asked = _searched(session, place, server, name, kind)
    else:
        asked = _Asked(bare, kind, _ask(session, place, server, bare, kind))
    head = f"\n; <<>> DiG 9.18.28 <<>> {' '.join(words[1:])}\n;; global options: +cmd\n"
    if asked.reply.status in _SILENT:
        session.slept_s += _BIND_S
        cause = _CAUSES.get(asked.reply.status, "timed out").lower()
        text = f";; communications error to {server}#53: {cause}\n" * 3
        if short:
            return Output(9, f"{text};; no servers could be reached\n")
        return Output(9, f"{text}{head};; no servers could be reached\n")
    if short:
        return Output(0, "".join(f"{_dotted(record)}\n" for record in asked.reply.records))
    return Output(0, head + _dig_answer(session, server, asked))


def _dig_answer(session: Session, server: str, asked: _Asked) -> str:
    reply = asked.reply
    number = int(session.world.seed.fraction("dig", asked.name, session.world.now) * 65535)
    status = _CODES.get(reply.status, "NOERROR")
    denial = 0 if reply.records else 1
    text = (
        f";; Got answer:\n;; ->>HEADER<<- opcode: QUERY, status: {status}, id: {number}\n"
        f";; flags: qr aa rd; QUERY: 1, ANSWER: {len(reply.records)}, AUTHORITY: {denial}, "
        f"ADDITIONAL: {len(reply.additional) + 1}\n"
        ";; WARNING: recursion requested but not available\n\n"
        ";; OPT PSEUDOSECTION:\n; EDNS: version: 0, flags:; udp: 1232\n"
        f";; QUESTION SECTION:\n;{asked.name}.\t\tIN\t{asked.kind}\n\n"
    )
    if reply.records:
        text += ";; ANSWER SECTION:\n" + "".join(_zone_line(r) for r in reply.records) + "\n"
    else:
        serial = int(session.world.epoch)
        text += (
            ";; AUTHORITY SECTION:\ncluster.local.\t\t30\tIN\tSOA\tns.dns.cluster.local. "
            f"hostmaster.cluster.local. {serial} 7200 1800 86400 30\n\n"
        )
    if reply.additional:
        lines = "".join(_zone_line(record) for record in reply.additional)
        text += f";; ADDITIONAL SECTION:\n{lines}\n"
    when = session.world.timestamp().replace("T", " ").replace("Z", " UTC")
    return (
        f"{text};; Query time: 1 msec\n;; SERVER: {server}#53({server}) (UDP)\n;; WHEN: {when}\n\n"
    )


def _zone_line(record: Record) -> str:
    return f"{record.name}.\t{record.ttl}\tIN\t{record.kind}\t{_dotted(record)}\n"


def _dotted(record: Record) -> str:
    return f"{record.data}." if record.kind in ("CNAME", "PTR", "SRV", "NS", "MX") else record.data


def _host(session: Session, words: list[str], _stdin: str) -> Output:
    place, kind, operands = _place(session), "", []
    given = iter(words[1:])
    for word in given:
        if word == "-t":
            kind = next(given, "A").upper()
        elif not word.startswith("-"):
            operands.append(word)
    if not operands:
        return Output(1, "", "Usage: host [-aCdilrTvVw] [-c class] [-N ndots] [-t type]\n")
    name, server = operands[0], place.servers[0]
    head = ""
    if len(operands) > 1:
        server = _address_of(session, place, operands[1])
        head = f"Using domain server:\nName: {operands[1]}\nAddress: {server}#53\nAliases: \n\n"
    if is_address(name):
        asked = _Asked(name, "PTR", _ask(session, place, server, reverse_name(name), "PTR"))
        asked = asked._replace(name=reverse_name(name))
    else:
        asked = _searched(session, place, server, name, kind or "A")
    if asked.reply.status in _SILENT:
        session.slept_s += _BIND_S
        return Output(1, f"{head}{_NO_SERVERS}")
    code = _CODES.get(asked.reply.status)
    if code is not None:
        number = {"NXDOMAIN": 3, "SERVFAIL": 2, "REFUSED": 5}[code]
        return Output(1, f"{head}Host {name} not found: {number}({code})\n")
    if not asked.reply.records:
        return Output(0, f"{head}{asked.name} has no {asked.kind} record\n")
    forms = {
        "A": "has address {}", "CNAME": "is an alias for {}", "PTR": "domain name pointer {}",
        "SRV": "has SRV record {}", "TXT": "descriptive text {}",
    }  # fmt: skip
    lines = (
        f"{record.name} {forms.get(record.kind, 'has record {}').format(_dotted(record))}\n"
        for record in asked.reply.records
    )
    return Output(0, head + "".join(lines))


def _getent(session: Session, words: list[str], _stdin: str) -> Output:
    if words[1:2] in (["passwd"], ["group"]):
        return _accounts(session, words[1], words[2:])
    if len(words) < 3 or words[1] not in ("hosts", "ahosts", "ahostsv4"):
        return Output(2)
    found = [_hosts(session, words[1], name) for name in words[2:]]
    return Output(max(one.code for one in found), "".join(one.out for one in found))


def _accounts(session: Session, what: str, names: list[str]) -> Output:
    """Lines of /etc/passwd or /etc/group, by name or number."""
    lines = (session.files.read(f"/etc/{what}") or "").splitlines()
    if not names:
        return Output(0, "".join(f"{line}\n" for line in lines))
    out, code = "", 0
    for name in names:
        known = [line for line in lines if name in (line.split(":")[0], line.split(":")[2])]
        out += "".join(f"{line}\n" for line in known[:1])
        code = code if known else 2
    return Output(code, out)


def _hosts(session: Session, what: str, name: str) -> Output:
    place = _place(session)
    if is_address(name):
        reply = _ask(session, place, place.servers[0], reverse_name(name), "PTR")
        known = [host for host, ip in hosts_of(session.world, place.pod).items() if ip == name]
        found = known or [record.data for record in reply.records]
        return Output(0, f"{name:<15} {found[0]}\n") if found else Output(2)
    looked = session.world.room("network").lookup(session.world, place.pod, name)
    session.slept_s += looked.seconds
    if looked.status != "ok":
        return Output(2)
    called = looked.aliases[-1] if looked.aliases else looked.name
    if what == "hosts":
        return Output(0, "".join(f"{ip:<15} {called}\n" for ip in looked.addresses))
    out = ""
    for number, ip in enumerate(looked.addresses):
        for kind in ("STREAM", "DGRAM", "RAW"):
            last = f" {called}" if not number and kind == "STREAM" else ""
            out += f"{ip:<15} {kind}{last or ''}\n"
    return Output(0, out)


LOOKUP_COMMANDS: dict[str, Command] = {
    "dig": _dig,
    "getent": _getent,
    "host": _host,
    "nslookup": _nslookup,
}
