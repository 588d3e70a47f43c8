"""wget: BusyBox's, and the GNU one."""

from __future__ import annotations

from datetime import UTC, datetime

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.dns_queries import unresolved
from sregym_cluster_embedded.userland.shell.http import REASONS, Fetched, HttpRequest, fetch
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import CONNECT_S, WORDS

_LONG = {
    "output-document": "O", "quiet": "q", "server-response": "S", "spider": "~", "header": "h",
    "no-check-certificate": "k", "timeout": "T", "tries": "t", "user-agent": "U", "post-data": "p",
    "continue": "c", "no-verbose": "n", "directory-prefix": "P", "no-proxy": "-", "method": "m",
    "body-data": "p", "ca-certificate": "C", "dns-timeout": "T", "connect-timeout": "T",
    "read-timeout": "T",
}  # fmt: skip
_VALUED = "OTtUhpPmC"
# BusyBox as Debian builds it has no -T; as Alpine and others build it, it has.
_USAGE = """BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.

Usage: wget [-cqS] [--spider] [-O FILE] [-o LOGFILE] [--header STR]
	[--post-data STR | --post-file FILE] [-Y on/off]
	[--no-check-certificate] [-P DIR] [-U AGENT] URL...

Retrieve files via HTTP or FTP

	--spider	Only check URL existence: $? is 0 if exists
	--header STR	Add STR (of form 'header: value') to headers
	--post-data STR	Send STR using POST method
	--post-file FILE	Send FILE using POST method
	--no-check-certificate	Don't validate the server's certificate
	-c		Continue retrieval of aborted transfer
	-q		Quiet
	-P DIR		Save to DIR (default .)
	-S    		Show server response
	-O FILE		Save to FILE ('-' for stdout)
	-o LOGFILE	Log messages to FILE
	-U STR		Use STR for User-Agent header
	-Y on/off	Use proxy
"""


def _wget(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, _VALUED, _LONG)
    if session.flavour == "busybox" and "T" in flags and "-T" in "".join(w[:2] for w in words):
        return Output(1, "", f"wget: invalid option -- 'T'\n{_USAGE}")
    if not operands:
        if session.busybox:
            return Output(1, "", _USAGE)
        usage = "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n\n"
        return Output(1, "", f"{usage}Try `wget --help' for more options.\n")
    url = operands[0]
    full = url if "://" in url else f"http://{url}"
    if full.partition("://")[0] not in ("http", "https", "ftp"):
        return Output(1, "", f"wget: not an http or ftp url: {url}\n")
    headers = {}
    for place, word in enumerate(words):
        text = words[place + 1] if word == "--header" and place + 1 < len(words) else ""
        text = text or (word.partition("=")[2] if word.startswith("--header=") else "")
        name, colon, value = text.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    agent = "Wget" if session.busybox else "Wget/1.21.3"
    headers.setdefault("user-agent", flags.get("U", agent))
    body = flags.get("p", "")
    asked = HttpRequest("POST" if "p" in flags else flags.get("m", "GET"), full, headers, body)
    result = fetch(session, asked, insecure=not session.busybox and "k" in flags)
    session.slept_s += result.seconds
    call = _busybox if session.busybox else _gnu
    return call(session, flags, full, result)


def _failed_connection(session: Session, flags: dict[str, str], result: Fetched) -> None:
    """Let the time pass that a connection takes to fail."""
    if result.kind == "timeout":
        text = flags.get("T", "")
        session.slept_s += float(text) if text.replace(".", "", 1).isdecimal() else CONNECT_S
    elif result.kind == "no_route":
        session.slept_s += 3.0


def _busybox(session: Session, flags: dict[str, str], url: str, result: Fetched) -> Output:
    facts, quiet = result.target.facts, "q" in flags
    host = (
        facts["host"]
        if ":" not in url.partition("://")[2].partition("/")[0]
        else f"{facts['host']}:{facts['port']}"
    )
    connecting = "" if quiet else f"Connecting to {host} ({facts['ip']}:{facts['port']})\n"
    if result.kind == "dns":
        return Output(1, "", f"wget: bad address '{host}'\n")
    if result.kind in ("refused", "no_route", "unreachable", "timeout"):
        _failed_connection(session, flags, result)
        if result.kind == "timeout" and "T" in flags:
            return Output(1, "", f"{connecting}wget: download timed out\n")
        error = f"wget: can't connect to remote host ({facts['ip']}): {WORDS[result.kind]}\n"
        return Output(1, "", connecting + error)
    if result.target.listener == "https" and url.startswith("https"):
        note = (
            ""
            if "k" in flags or quiet
            else "wget: note: TLS certificate validation not implemented\n"
        )
        alert = "wget: TLS error from peer (alert code 40): handshake failure\n"
        reset = "wget: error getting response: Connection reset by peer\n"
        return Output(1, "", f"{connecting}{note}{alert}{reset}")
    if result.answer is None:
        word = "error getting response"
        if result.kind == "reset":
            word += ": Connection reset by peer"
        if result.kind == "garbage":
            word = "bad header line: -ERR unknown command 'GET'"
        return Output(1, "", f"{connecting}wget: {word}\n")
    return _received(session, flags, url, result, connecting)


def _received(
    session: Session, flags: dict[str, str], url: str, result: Fetched, connecting: str
) -> Output:
    answer, quiet = result.answer, "q" in flags
    assert answer is not None
    status = f"{answer.status} {REASONS.get(answer.status, '')}"
    shown = ""
    if "S" in flags:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in result.headers), ""]
        shown = "".join(f"  {line}\n" for line in lines)
    if answer.status >= 400:
        error = f"wget: server returned error: HTTP/1.1 {status}\n"
        return Output(1, "", f"{connecting}{shown}{error}")
    if "~" in flags:
        return Output(0, "", connecting + shown + ("" if quiet else "remote file exists\n"))
    body, target = answer.body, flags.get("O", "")
    size = len(body.encode(errors="surrogateescape"))
    if target == "-":
        return Output(0, body, connecting + shown + ("" if quiet else _progress("-", size)))
    path = url.partition("://")[2].partition("/")[2]
    name = target or (path.rstrip("/").rpartition("/")[2] or "index.html")
    if "P" in flags and not target:
        name = f"{flags['P'].rstrip('/')}/{name}"
    try:
        if not target and session.files.stat(session.path(name)) is not None:
            return Output(1, "", f"{connecting}{shown}wget: can't open '{name}': File exists\n")
        session.files.write(session.path(name), body)
    except FileError as error:
        return Output(1, "", f"{connecting}{shown}wget: can't open '{name}': {error.words}\n")
    return Output(0, "", connecting + shown + ("" if quiet else _progress(name, size)))


def _progress(name: str, size: int) -> str:
    short = name.rpartition("/")[2] if name != "-" else name
    bar = f"{short:<20.20} 100% |********************************| {size:>5}  0:00:00 ETA\n"
    if name == "-":
        return f"writing to stdout\n{bar}written to stdout\n"
    return f"saving to '{name}'\n{bar}'{name}' saved\n"


def _gnu(session: Session, flags: dict[str, str], url: str, result: Fetched) -> Output:
    facts, quiet = result.target.facts, "q" in flags
    host, ip, port = facts["host"], facts["ip"], facts["port"]
    when = datetime.fromtimestamp(session.files.now, UTC).strftime("%Y-%m-%d %H:%M:%S")
    log = f"--{when}--  {url}\n"
    if result.kind == "dns":
        log += f"Resolving {host} ({host})... failed: {unresolved(session, host)}.\n"
        log += f"wget: unable to resolve host address '{host}'\n"
        return Output(4, "", "" if quiet else log)
    log += f"Resolving {host} ({host})... {ip}\n" if host != ip else ""
    place = f"{host} ({host})|{ip}|:{port}" if host != ip else f"{ip}:{port}"
    log += f"Connecting to {place}... "
    if result.kind in WORDS and result.kind != "reset":
        _failed_connection(session, flags, result)
        log += f"failed: {WORDS[result.kind]}.\n"
        if result.kind == "timeout":
            log += "Retrying.\n\n" if flags.get("t") != "1" else "Giving up.\n\n"
        return Output(4, "", "" if quiet else log)
    log += "connected.\n"
    if result.kind == "untrusted":
        log += f"ERROR: The certificate of '{host}' is not trusted.\nERROR: The certificate of '{host}' doesn't have a known issuer.\n"
        return Output(5, "", "" if quiet else log)
    if result.answer is None:
        log += "HTTP request sent, awaiting response... No data received.\nGiving up.\n\n"
        return Output(4, "", "" if quiet else log)
    answer = result.answer
    status = f"{answer.status} {REASONS.get(answer.status, '')}"
    log += "HTTP request sent, awaiting response... "
    if "S" in flags:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in result.headers)]
        log += "\n" + "".join(f"  {line}\n" for line in lines)
    else:
        log += f"{status}\n"
    if answer.status >= 400:
        if "~" in flags:
            log += "Remote file does not exist -- broken link!!!\n\n"
        else:
            log += f"{when} ERROR {answer.status}: {REASONS.get(answer.status, '')}.\n\n"
        return Output(8, "", "" if quiet else log)
    body, target = answer.body, flags.get("O", "")
    size, kind = len(body.encode(errors="surrogateescape")), answer.content_type.partition(";")[0]
    log += f"Length: {size} [{kind}]\n"
    if "~" in flags:
        log += "Remote file exists.\n\n"
        return Output(0, "", "" if quiet else log)
    path = url.partition("://")[2].partition("/")[2]
    name = target or (path.rstrip("/").rpartition("/")[2] or "index.html")
    shown = "STDOUT" if name == "-" else f"'{name}'"
    log += f"Saving to: {shown}\n\n     0K {'':<55}100% 4.26M=0s\n\n"
    if name == "-":
        log += f"{when} (4.26 MB/s) - written to stdout [{size}/{size}]\n\n"
        return Output(0, body, "" if quiet else log)
    try:
        session.files.write(session.path(name), body)
    except FileError as error:
        return Output(3, "", f"{name}: {error.words}\n\nCannot write to '{name}' (Success).\n")
    log += f"{when} (4.26 MB/s) - '{name}' saved [{size}/{size}]\n\n"
    return Output(0, "", "" if quiet else log)


WGET_COMMANDS: dict[str, Command] = {"wget": _wget}
