"""Commands that look names up: nslookup of BusyBox and of BIND, dig, host, getent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.records import is_address, reverse_name
from sregym_cluster_embedded.network.resolver import hosts_of
from sregym_cluster_embedded.userland.shell.dig import dig
from sregym_cluster_embedded.userland.shell.dns_queries import (
    CAUSES,
    CODES,
    SILENT,
    DnsQuery,
    Place,
    address_of,
    dotted,
    place_of,
    query_server,
    searched,
)
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.records import Record

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


def _nslookup(session: Session, words: list[str], _stdin: str) -> Output:
    if session.is_busybox("nslookup"):
        return _busybox(session, words)
    return _bind(session, words)


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
    place, host = place_of(session), operands[0]
    servers = place.servers
    if len(operands) > 1:
        address = address_of(session, place, operands[1])
        if not address:
            return Output(1, "", f"nslookup: bad address '{operands[1]}'\n")
        servers = (address,)
    questions = _busybox_questions(place, host, kinds)
    asked: list[DnsQuery] = []
    for server in servers:
        asked = [DnsQuery(n, k, query_server(session, place, server, n, k)) for n, k in questions]
        if any(one.reply.status not in SILENT for one in asked):
            return _busybox_answers(session, server, asked)
    cause = CAUSES.get(asked[0].reply.status, "")
    if cause and len(asked) > 1:
        # What came back for the first question spoils the sending of the second.
        err = f"nslookup: write to '{servers[-1]}': {cause}\n"
        return Output(1, f"{_NO_SERVERS}\n", err)
    session.slept_s += _BUSYBOX_S * len(servers)
    return Output(1, f"{_NO_SERVERS}\n", f"nslookup: read: {cause}\n" * 2 if cause else "")


def _busybox_questions(place: Place, host: str, kinds: list[str]) -> list[tuple[str, str]]:
    if is_address(host) and (not kinds or kinds == ["PTR"]):
        return [(reverse_name(host), "PTR")]
    bare = host.rstrip(".")
    searched = [bare] if "." in host else [f"{host}.{zone}" for zone in place.searches] or [bare]
    return [(name, kind) for kind in kinds or ["A", "AAAA"] for name in searched]


def _busybox_answers(session: Session, server: str, asked: list[DnsQuery]) -> Output:
    out, failed = f"Server:\t\t{server}\nAddress:\t{server}:53\n\n", False
    for one in asked:
        code = CODES.get(one.reply.status)
        if one.reply.status in SILENT:
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
    place, host = place_of(session), operands[0]
    server = place.servers[0]
    if len(operands) > 1:
        server = address_of(session, place, operands[1])
        if not server:
            text = f"nslookup: couldn't get address for '{operands[1]}': not found\n"
            return Output(1, "", text)
    if is_address(host):
        question = (reverse_name(host), kind or "PTR")
        asked = DnsQuery(*question, query_server(session, place, server, *question))
    else:
        asked = searched(session, place, server, host, kind or "A")
    if asked.reply.status in SILENT:
        return Output(1, f"{_unanswered(session, server, asked.reply.status, 3)}\n")
    if is_address(host) and asked.reply.records:
        # Answers to addresses are shown without the server.
        return Output(
            0, "".join(_line(r._replace(data=f"{r.data}.")) for r in asked.reply.records) + "\n"
        )
    head = f"Server:\t\t{server}\nAddress:\t{server}#53\n\n"
    code = CODES.get(asked.reply.status)
    if code is not None:
        early = f";; Got SERVFAIL reply from {server}\n" if code == "SERVFAIL" else ""
        shown = asked.name if code == "SERVFAIL" or is_address(host) else host
        return Output(1, f"{early}{head}** server can't find {shown}: {code}\n\n")
    if not asked.reply.records:
        return Output(0, f"{head}*** Can't find {host}: No answer\n\n")
    lines = []
    for record in asked.reply.records:
        dotted = record.kind in ("CNAME", "PTR", "SRV", "NS", "MX")
        lines.append(_line(record._replace(data=f"{record.data}.") if dotted else record))
    return Output(0, f"{head}{''.join(lines)}\n")


def _unanswered(session: Session, server: str, status: str, tries: int) -> str:
    """What the tools of BIND print without an answer."""
    session.slept_s += _BIND_S if status == "timeout" else 0.0
    cause = {"timeout": "timed out", "closed": "connection refused"}.get(status)
    if cause is None:
        return f";; UDP setup with {server}#53({server}) failed: network unreachable.\n" * tries
    return f";; communications error to {server}#53: {cause}\n" * tries + (
        ";; no servers could be reached\n"
    )


def _host(session: Session, words: list[str], _stdin: str) -> Output:
    place, kind, operands = place_of(session), "", []
    given = iter(words[1:])
    for word in given:
        if word in ("-W", "-c", "-N", "-R", "-m", "-p"):
            next(given, None)
        elif word == "-t":
            kind = next(given, "A").upper()
        elif not word.startswith("-"):
            operands.append(word)
    if not operands:
        return Output(1, "", "Usage: host [-aCdilrTvVw] [-c class] [-N ndots] [-t type]\n")
    name, server = operands[0], place.servers[0]
    head = ""
    if len(operands) > 1:
        server = address_of(session, place, operands[1])
        head = f"Using domain server:\nName: {operands[1]}\nAddress: {server}#53\nAliases: \n\n"
    if is_address(name):
        asked = DnsQuery(
            name, "PTR", query_server(session, place, server, reverse_name(name), "PTR")
        )
        asked = asked._replace(name=reverse_name(name))
    else:
        asked = searched(session, place, server, name, kind or "A")
    if asked.reply.status in SILENT:
        return Output(1, _unanswered(session, server, asked.reply.status, 2))
    code = CODES.get(asked.reply.status)
    if code is not None:
        number = {"NXDOMAIN": 3, "SERVFAIL": 2, "REFUSED": 5}[code]
        name = asked.name if code == "SERVFAIL" or is_address(name) else name
        return Output(1, f"{head}Host {name} not found: {number}({code})\n")
    if not asked.reply.records:
        return Output(0, f"{head}{asked.name} has no {asked.kind} record\n")
    forms = {
        "A": "has address {}", "CNAME": "is an alias for {}", "PTR": "domain name pointer {}",
        "SRV": "has SRV record {}", "TXT": "descriptive text {}",
    }  # fmt: skip
    lines = (
        f"{record.name} {forms.get(record.kind, 'has record {}').format(dotted(record))}\n"
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
    place = place_of(session)
    if is_address(name):
        reply = query_server(session, place, place.servers[0], reverse_name(name), "PTR")
        known = [host for host, ip in hosts_of(session.world, place.pod).items() if ip == name]
        found = known or [record.data for record in reply.records]
        return Output(0, f"{name:<15} {found[0]}\n") if found else Output(2)
    looked = session.world.service(NETWORK).lookup(session.world, place.pod, name)
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
    "dig": dig,
    "getent": _getent,
    "host": _host,
    "nslookup": _nslookup,
}
