"""`ss` of iproute2: the sockets of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.connections import ESTABLISHED, LISTEN, SYN_SENT, sockets
from sregym_cluster_embedded.userland.files.tasks import entered
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.ss_filters import FilterError, filtered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.userland.connections import Ending, Socket
    from sregym_cluster_embedded.userland.process import Process

_LETTERS = "hVHOQnraloempiTtsxudw46KtfAzNbEZSMM0p"
# What is sent and not yet acknowledged; of a socket that listens, the connections that may wait.
_SENT = {LISTEN: "4096", ESTABLISHED: "0", SYN_SENT: "1"}
_USAGE = "Usage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n"


def sockets_of(session: Session) -> list[Socket]:
    """The TCP sockets of the pod."""
    return sockets(session.world, session.process.ref.pod_uid)


def name_of(session: Session, process: Process) -> str:
    """How a process is called."""
    argv = entered(session.runtime, process, session.runtime.known(process).image.cmd)
    return argv[0].rpartition("/")[2]


def ss(session: Session, words: list[str], _stdin: str) -> Output:
    """Carry out `ss`."""
    letters, filters, mistake = _taken(words[1:])
    if mistake:
        return Output(255, "", f"ss: {mistake}\n{_USAGE}")
    if "V" in letters:
        return Output(0, "ss utility, iproute2-6.1.0\n")
    if "s" in letters:
        return Output(0, _summary(sockets_of(session)))
    try:
        states, test = filtered(filters, letters)
    except FilterError as error:
        return Output(error.code, "", error.text + (_USAGE if error.usage else ""))
    asks_tcp = "t" in letters or not {"u", "x", "w", "d", "S", "0"} & set(letters)
    families = {letter == "6" for letter in letters if letter in "46"} or {False, True}
    rows = []
    for one in sockets_of(session) if asks_tcp else []:
        if one.state not in states or one.is_v6 not in families or not test(one):
            continue
        users = ""
        # What belongs to the processes of other containers is not to be seen from here.
        if "p" in letters and one.process.ref == session.process.ref:
            name = name_of(session, one.process)
            users = f'users:(("{name}",pid=1,fd={one.descriptor}))'
        rows.append((one.state, _end(one.here, one), _end(one.there, one), users))
    kinds = sum(letter in letters for letter in "tuxw")
    return Output(
        0, _table(rows, netid=kinds != 1, state=len(states) != 1, head="H" not in letters)
    )


def _end(end: Ending, socket: Socket) -> tuple[str, str]:
    """Address and port of an end."""
    if not end.ip:
        any_ = "*" if socket.is_v6 else "0.0.0.0"  # noqa: S104 - as it is shown
        return any_, str(end.port) if end.port else "*"
    return f"[::ffff:{end.ip}]" if socket.is_v6 else end.ip, str(end.port)


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


def _table(
    rows: list[tuple[str, tuple[str, str], tuple[str, str], str]],
    *,
    netid: bool,
    state: bool,
    head: bool,
) -> str:
    """Columns as wide as what stands in them; addresses end at the colon."""
    titles = ("Local Address", "Peer Address") if head else ("", "")
    least = 4 if head else 0
    local = max([len(titles[0]), *(len(row[1][0]) for row in rows)])
    peer = max([len(titles[1]), *(len(row[2][0]) for row in rows)])
    local_port = max([least, *(len(row[1][1]) for row in rows)])
    peer_port = max([least, *(len(row[2][1]) for row in rows)])
    first = f"{'Netid':<5} " if netid else ""
    width = max([5, *(len(row[0]) for row in rows)])
    kind = f"{'State':<{width}} " if state else ""
    out = ""
    if head:
        ends = (
            f"{titles[0]:>{local}}:{'Port':<{local_port}} {titles[1]:>{peer}}:{'Port':<{peer_port}}"
        )
        out = f"{first}{kind}Recv-Q Send-Q {ends}Process\n"
    for shown, here, there, users in rows:
        start = f"{'tcp':<5} " if netid else ""
        start += f"{shown:<{width}} " if state else ""
        ends = (
            f"{here[0]:>{local}}:{here[1]:<{local_port}} {there[0]:>{peer}}:{there[1]:<{peer_port}}"
        )
        last = f" {users}" if users else " " * (7 if head else 0)
        out += f"{start}{0:<6} {_SENT[shown]:<6} {ends}{last}\n"
    return out


def _summary(found: Sequence[Socket]) -> str:
    count, own = len(found), sum(not one.is_v6 for one in found)
    held = sum(one.state == ESTABLISHED for one in found)
    tcp = (count, own, count - own)
    none = (0, 0, 0)
    parts = (("RAW", none), ("UDP", none), ("TCP", tcp), ("INET", tcp), ("FRAG", none))
    table = "".join(f"{name}\t  {all_:<9} {v4:<9} {v6:<9}\n" for name, (all_, v4, v6) in parts)
    return (
        f"Total: {count + 2}\nTCP:   {count} (estab {held}, closed 0, orphaned 0, timewait 0)\n\n"
        f"Transport Total     IP        IPv6\n{table}\n"
    )
