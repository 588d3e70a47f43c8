"""`ss` of iproute2: the sockets of a pod."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.tasks import entered
from sregym_cluster_embedded.userland.process import Process, running_in
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

_STATES = {
    "listening": "LISTEN", "listen": "LISTEN", "established": "ESTAB", "time-wait": "TIME-WAIT",
    "close-wait": "CLOSE-WAIT", "syn-sent": "SYN-SENT", "syn-recv": "SYN-RECV",
    "fin-wait-1": "FIN-WAIT-1", "fin-wait-2": "FIN-WAIT-2", "closed": "UNCONN", "closing": "CLOSING",
    "last-ack": "LAST-ACK", "all": "", "connected": "", "synchronized": "", "bucket": "", "big": "",
}  # fmt: skip
_LETTERS = "hVHOQnraloempiTtsxudw46KtfAzNbEZSMM0p"
_BACKLOG = "4096"
_USAGE = "Usage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n"


def sockets_of(session: Session) -> list[tuple[int, Process]]:
    """The ports that processes of the pod listen on."""
    found = running_in(session.world, session.process.ref.pod_uid)
    return [(port, process) for process in found for port, _ in process.ports]


def name_of(session: Session, process: Process) -> str:
    """How a process is called."""
    argv = entered(process, session.runtime.known(process).image.cmd)
    return argv[0].rpartition("/")[2]


def ss(session: Session, words: list[str], _stdin: str) -> Output:
    """Carry out `ss`."""
    letters, filters, mistake = _taken(words[1:])
    if mistake:
        return Output(255, "", f"ss: {mistake}\n{_USAGE}")
    if "V" in letters:
        return Output(0, "ss utility, iproute2-6.1.0\n")
    if "s" in letters:
        return Output(0, _summary(len(sockets_of(session))))
    states, ports = _filtered(filters)
    listens = bool({"l", "a"} & set(letters)) or "LISTEN" in states or "" in states
    wanted = not states or bool({"LISTEN", ""} & set(states))
    asks_tcp = "t" in letters or not {"u", "x", "w", "d", "S", "0"} & set(letters)
    rows = []
    for port, process in sockets_of(session) if listens and wanted and asks_tcp else []:
        if ports and port not in ports:
            continue
        users = f'users:(("{name_of(session, process)}",pid=1,fd=3))' if "p" in letters else ""
        rows.append((("*", str(port)), ("*", "*"), users))
    kinds = sum(letter in letters for letter in "tuxw")
    return Output(0, _table(rows, netid=kinds != 1, state=not states, head="H" not in letters))


def _taken(words: Sequence[str]) -> tuple[str, list[str], str]:
    """Letters of options, the filter, and what is wrong with an option."""
    letters = ""
    filters: list[str] = []
    long = {
        "listening": "l", "all": "a", "numeric": "n", "processes": "p", "tcp": "t", "udp": "u",
        "unix": "x", "summary": "s", "no-header": "H", "info": "i", "extended": "e",
        "memory": "m", "options": "o", "resolve": "r", "ipv4": "4", "ipv6": "6", "version": "V",
    }  # fmt: skip
    for word in words:
        if word.startswith("--"):
            if word[2:] not in long:
                return letters, filters, f"unrecognized option '{word}'"
            letters += long[word[2:]]
        elif word.startswith("-") and not filters:
            unknown = next((letter for letter in word[1:] if letter not in _LETTERS), "")
            if unknown:
                return letters, filters, f"invalid option -- '{unknown}'"
            letters += word[1:]
        else:
            filters.append(word)
    return letters, filters, ""


def _filtered(filters: list[str]) -> tuple[list[str], list[int]]:
    """States that are asked for, and ports at this end."""
    states, text = [], " ".join(filters)
    for name in re.findall(r"state (\S+)", text):
        states.append(_STATES.get(name, name.upper()))
    ports = [int(port) for port in re.findall(r"sport\s*(?:=|==|eq)?\s*:(\d+)", text)]
    return states, ports


def _table(
    rows: list[tuple[tuple[str, str], tuple[str, str], str]],
    *,
    netid: bool,
    state: bool,
    head: bool,
) -> str:
    """Columns as wide as what stands in them; addresses end at the colon."""
    titles = ("Local Address", "Peer Address") if head else ("", "")
    least = 4 if head else 0
    local = max([len(titles[0]), *(len(row[0][0]) for row in rows)])
    peer = max([len(titles[1]), *(len(row[1][0]) for row in rows)])
    local_port = max([least, *(len(row[0][1]) for row in rows)])
    peer_port = max([least, *(len(row[1][1]) for row in rows)])
    first = f"{'Netid':<5} " if netid else ""
    width = max(5, *(6 for _ in rows)) if rows else 5
    kind = f"{'State':<{width}} " if state else ""
    out = ""
    if head:
        ends = (
            f"{titles[0]:>{local}}:{'Port':<{local_port}} {titles[1]:>{peer}}:{'Port':<{peer_port}}"
        )
        out = f"{first}{kind}Recv-Q Send-Q {ends}Process\n"
    for here, there, users in rows:
        start = f"{'tcp':<5} " if netid else ""
        start += f"{'LISTEN':<{width}} " if state else ""
        ends = (
            f"{here[0]:>{local}}:{here[1]:<{local_port}} {there[0]:>{peer}}:{there[1]:<{peer_port}}"
        )
        last = f" {users}" if users else " " * (7 if head else 0)
        out += f"{start}{0:<6} {_BACKLOG:<6} {ends}{last}\n"
    return out


def _summary(count: int) -> str:
    rows = (("RAW", 0), ("UDP", 0), ("TCP", count), ("INET", count), ("FRAG", 0))
    table = "".join(f"{name}\t  {number:<9} {0:<9} {number:<9}\n" for name, number in rows)
    return (
        f"Total: {count + 2}\nTCP:   {count} (estab 0, closed 0, orphaned 0, timewait 0)\n\n"
        f"Transport Total     IP        IPv6\n{table}\n"
    )
