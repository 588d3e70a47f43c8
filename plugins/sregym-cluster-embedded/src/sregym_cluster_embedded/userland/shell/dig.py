"""`dig` of BIND 9.18."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.network.records import Record, Reply, reverse_name
from sregym_cluster_embedded.userland.shell.dns_queries import (
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
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VERSION = "9.18.28"
_USAGE = """Usage:  dig [@global-server] [domain] [q-type] [q-class] {q-opt}
            {global-d-opt} host [@local-server] {local-d-opt}
            [ host [@local-server] {local-d-opt} [...]]

Use "dig -h" (or "dig -h | more") for complete list of options
"""
_TYPES = (
    *("A", "AAAA", "ANY", "AXFR", "CAA", "CNAME", "DNSKEY", "DS", "HINFO", "HTTPS", "MX", "NAPTR"),
    *("NS", "PTR", "RRSIG", "SOA", "SRV", "SVCB", "TLSA", "TXT"),
)
# Classes: `CH` has a long name, too.
_CLASS = re.compile(r"IN|CH(?:[A-Z]{3})?|HS", re.IGNORECASE)
# Parts of the answer that `+no...` leaves out, and `+noall` all of them.
_PARTS = ("answer", "additional", "authority", "cmd", "comments", "question", "stats")
_SWITCHES = (
    *("short", "search", "tcp", "vc", "edns", "cookie", "recurse", "rec", "trace", "all", "dnssec"),
    *(
        "multiline",
        "multi",
        "identify",
        "ttlid",
        "nssearch",
        "showsearch",
        "fail",
        "qr",
        "besteffort",
    ),
    *("adflag", "aaflag", "cdflag", "class", "crypto", "defname", "ignore", "keepopen", "onesoa"),
    *("onesoa", "rrcomments", "ttlunits", "unknownformat", "mapped", "idnin", "idnout", "yaml"),
    *("expire", "nsid", "sit", "header-only", "tls", "https", "raflag", "tcflag", "zflag", "do"),
)
_VALUED = ("time", "timeout", "tries", "retry", "ndots", "bufsize", "domain", "subnet", "split")
_CAUSES = {
    "closed": "connection refused",
    "timeout": "timed out",
    "unreachable": "network unreachable",
}


@dataclass(frozen=True)
class _Query:
    """One question of a command line, and how its answer is shown."""

    name: str = "."
    kind: str = ""
    server: str = ""
    port: int = 53
    parts: frozenset[str] = frozenset(_PARTS)
    on: frozenset[str] = frozenset(("edns", "cookie", "recurse"))
    tries: int = 3
    timeout_s: float = 5.0


@dataclass
class _Line:
    """A command line, taken apart."""

    queries: list[_Query] = field(default_factory=list)
    mistake: Output | None = None


def dig(session: Session, words: list[str], _stdin: str) -> Output:
    """Carry out `dig`."""
    if words[1:2] == ["-v"]:
        return Output(0, f"DiG {_VERSION}\n")
    if words[1:2] == ["-h"]:
        return Output(0, _USAGE)
    line = _read(words[1:])
    if line.mistake is not None:
        return line.mistake
    place, out, code = place_of(session), "", 0
    shown_head = False
    for query in line.queries:
        given = query.server
        server = address_of(session, place, given) if given else place.servers[0]
        if not server:
            said = f"dig: couldn't get address for '{given}': not found\n"
            return Output(1, out, said)
        head = ""
        if not shown_head:
            shown_head = True
            head = _head(words, query, local=not given)
        result = _asked(session, place, query, server, head)
        out, code = out + result.out, result.code or code
    return Output(code, out)


def _head(words: list[str], query: _Query, *, local: bool) -> str:
    if "cmd" not in query.parts:
        return ""
    line = " ".join(["", *words[1:]])
    found = "" if local else "; (1 server found)\n"
    return f"\n; <<>> DiG {_VERSION} <<>>{line}\n{found};; global options: +cmd\n"


def _read(words: list[str]) -> _Line:
    line, general, present = _Line(), _Query(), None
    rest = iter(words)
    for word in rest:
        target = present or general
        if word.startswith("@"):
            target = replace(target, server=word[1:])
        elif word.startswith("+"):
            changed = _switched(target, word[1:])
            if changed is None:
                line.mistake = Output(1, "", f"Invalid option: {word}\n{_USAGE}")
                return line
            target = changed
        elif word in ("-x", "-q"):
            _close(line, present)
            name = next(rest, "")
            kind = "PTR" if word == "-x" else general.kind
            target = replace(general, name=reverse_name(name) if word == "-x" else name, kind=kind)
            present = target
            continue
        elif word in ("-t", "-c", "-p", "-b", "-k", "-y", "-f"):
            value = next(rest, "")
            if word == "-t":
                target = replace(target, kind=value.upper())
            elif word == "-p" and value.isdecimal():
                target = replace(target, port=int(value))
        elif word.startswith("-"):
            if word[1:2] not in ("4", "6", "d", "i", "m", "r", "u"):
                line.mistake = Output(1, "", f"Invalid option: {word}\n{_USAGE}")
                return line
        elif word.upper() in _TYPES:
            target = replace(target, kind=word.upper())
        elif _CLASS.fullmatch(word):
            pass
        else:
            _close(line, present)
            present = replace(general, name=word)
            continue
        present, general = (target, general) if present is not None else (None, target)
    if present is None:
        present = replace(general, kind=general.kind or "NS")
    _close(line, present)
    return line


def _close(line: _Line, query: _Query | None) -> None:
    if query is not None:
        line.queries.append(query)


def _switched(query: _Query, word: str) -> _Query | None:
    """The question with an option of the form `+word`; None when there is none like it."""
    name, _, value = word.partition("=")
    if name in _VALUED:
        if name in ("time", "timeout"):
            return replace(query, timeout_s=float(value) if value.isdecimal() else 5.0)
        if name in ("tries", "retry"):
            number = max(1, int(value)) if value.isdecimal() else 3
            return replace(query, tries=number + (name == "retry"))
        return query
    off = name.startswith("no") and name not in _SWITCHES
    bare = name[2:] if off else name
    if bare == "all":
        return replace(query, parts=frozenset() if off else frozenset(_PARTS))
    known = [each for each in (*_PARTS, *_SWITCHES) if each.startswith(bare)] if bare else []
    if not known:
        return None
    bare = bare if bare in known else known[0]
    if bare in _PARTS:
        return replace(query, parts=query.parts - {bare} if off else query.parts | {bare})
    bare = {"vc": "tcp", "rec": "recurse", "multi": "multiline"}.get(bare, bare)
    query = replace(query, on=query.on - {bare} if off else query.on | {bare})
    if bare == "short" and not off:
        return replace(query, parts=frozenset(("answer",)))
    if bare == "edns" and off:
        return replace(query, on=query.on - {"cookie"})
    return query


def _asked(session: Session, place: Place, query: _Query, server: str, head: str) -> Output:
    kind, name = query.kind or "A", query.name.rstrip(".")
    reply: Reply
    if query.port != 53:
        asked = DnsQuery(name, kind, Reply("closed"))
    elif "search" in query.on and not query.name.endswith("."):
        asked = searched(session, place, server, name, kind)
    else:
        asked = DnsQuery(name, kind, query_server(session, place, server, name, kind))
    reply = asked.reply
    if reply.status in SILENT:
        return _nobody(session, query, server, asked, head)
    if "short" in query.on:
        tail = f" from server {server} in 0 ms." if "identify" in query.on else ""
        return Output(0, "".join(f"{dotted(record)}{tail}\n" for record in reply.records))
    if "trace" in query.on:
        soa = "".join(zone_line(record) for record in reply.records) or _denial(session)
        size = _size(asked, query) - 23
        told = f";; Received {size} bytes from {server}#53({server}) in 0 ms\n"
        return Output(0, f"{head}{soa}{told}\n")
    return Output(0, head + _shown(session, query, server, asked))


def _nobody(session: Session, query: _Query, server: str, asked: DnsQuery, head: str) -> Output:
    """There was no answer."""
    where, cause = f"{server}#{query.port}", _CAUSES[asked.reply.status]
    if "tcp" in query.on or asked.reply.status == "unreachable":
        tries = query.tries if asked.reply.status != "timeout" else 1
        if asked.reply.status == "timeout":
            session.slept_s += query.timeout_s * 2
        way = "Connection to" if "tcp" in query.on else "UDP setup with"
        row = f";; {way} {where}({server}) for {asked.name} failed: {cause}.\n"
        return Output(9, f"{row};; no servers could be reached\n" * tries)
    if asked.reply.status == "timeout":
        session.slept_s += query.timeout_s * query.tries
    rows = f";; communications error to {where}: {cause}\n" * query.tries
    # The head is told even when little else is to be.
    return Output(9, f"{rows}{head};; no servers could be reached\n")


def _shown(session: Session, query: _Query, server: str, asked: DnsQuery) -> str:
    reply, parts = asked.reply, query.parts
    denied = not reply.records and reply.status in ("nxdomain", "nodata", "ok")
    comments = "comments" in parts
    text = _header(session, query, asked, denied=denied) if comments else ""
    if "question" in parts:
        text += ";; QUESTION SECTION:\n" if comments else ""
        text += _columns(((f";{asked.name}.", 0), ("IN", 32), (asked.kind, 40)))
        text += "\n" if comments else ""
    sections = (
        ("answer", reply.records, ""),
        ("authority", (), _denial(session) if denied else ""),
        ("additional", reply.additional, ""),
    )
    for name, records, more in sections:
        lines = "".join(zone_line(record) for record in records) + more
        if name in parts and lines:
            text += f";; {name.upper()} SECTION:\n{lines}\n" if comments else lines
    if "stats" in parts:
        when = session.world.timestamp()
        text += (
            f";; Query time: 1 msec\n;; SERVER: {server}#53({server}) "
            f"({'TCP' if 'tcp' in query.on else 'UDP'})\n"
            f";; WHEN: {_date(when)}\n;; MSG SIZE  rcvd: {_size(asked, query)}\n\n"
        )
    return text


def _header(session: Session, query: _Query, asked: DnsQuery, *, denied: bool) -> str:
    reply = asked.reply
    number = int(session.world.seed.fraction("dig", asked.name, session.world.now) * 65535)
    status = CODES.get(reply.status, "NOERROR")
    aa = "" if reply.status in ("servfail", "refused") else " aa"
    rd = " rd" if "recurse" in query.on else ""
    edns = "edns" in query.on
    text = ";; Got answer:\n"
    if f".{asked.name}".endswith(".local"):
        text += (
            ";; WARNING: .local is reserved for Multicast DNS\n;; You are currently testing what "
            "happens when an mDNS query is leaked to DNS\n"
        )
    text += (
        f";; ->>HEADER<<- opcode: QUERY, status: {status}, id: {number}\n"
        f";; flags: qr{aa}{rd}; QUERY: 1, ANSWER: {len(reply.records)}, "
        f"AUTHORITY: {int(denied)}, ADDITIONAL: {len(reply.additional) + edns}\n"
    )
    text += ";; WARNING: recursion requested but not available\n\n" if rd else "\n"
    if edns:
        text += ";; OPT PSEUDOSECTION:\n; EDNS: version: 0, flags:; udp: 1232\n"
    if "cookie" in query.on:
        bits = int(session.world.seed.fraction("cookie", asked.name, session.world.now) * 2**53)
        text += f"; COOKIE: {bits << 11 & 0xFFFFFFFFFFFFFFFF:016x} (echoed)\n"
    return text


def zone_line(record: Record) -> str:
    """A record as a line of a zone, in columns."""
    owner = f"{record.name}." if record.name else "."
    row = ((owner, 0), (str(record.ttl), 24), ("IN", 32), (record.kind, 40), (dotted(record), 48))
    return _columns(row)


def _columns(row: Iterable[tuple[str, int]]) -> str:
    """Texts from the columns at which they are to stand, or behind one another."""
    line, at = "", 0
    for text, column in row:
        if line:
            column = max(column, at + 1)
            tabs = column // 8 - at // 8
            line += "\t" * tabs + " " * (column % 8 if tabs else column - at)
            at = column
        line += text
        at += len(text)
    return f"{line}\n"


def _denial(session: Session) -> str:
    serial = int(session.world.epoch)
    data = f"ns.dns.cluster.local. hostmaster.cluster.local. {serial} 7200 1800 86400 30"
    return f"cluster.local.\t\t30\tIN\tSOA\t{data}\n"


def _date(stamp: str) -> str:
    """The time as the C library writes it."""
    when = datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone(UTC)
    return f"{when:%a %b %d %H:%M:%S} UTC {when:%Y}"


def _size(asked: DnsQuery, query: _Query) -> int:
    """Bytes of the answer: CoreDNS does not shorten names that it repeats."""
    return 12 + sum(_parts_of(asked, query))


def _parts_of(asked: DnsQuery, query: _Query) -> Iterator[int]:
    own, reply = len(asked.name) + 2 if asked.name else 1, asked.reply
    yield own + 4
    for record in (*reply.records, *reply.additional):
        if record.kind == "A":
            data = 4
        elif record.kind == "AAAA":
            data = 16
        elif record.kind == "SRV":
            data = 6 + len(record.data.split()[-1]) + 2
        else:
            data = len(record.data) + 2
        yield len(record.name) + 2 + 10 + data
    if not reply.records and reply.status in ("nxdomain", "nodata", "ok"):
        yield 15 + 10 + 22 + 26 + 20
    if "edns" in query.on:
        yield 11 + (12 if "cookie" in query.on else 0)
