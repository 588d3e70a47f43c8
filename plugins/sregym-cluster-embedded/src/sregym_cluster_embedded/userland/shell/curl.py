"""curl 7.88, as Debian 12 and its relatives have it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.http import REASONS, Asked, Fetched, fetch
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import CONNECT_S, WORDS

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.kinds.kind import WebAnswer

_VERSION = "7.88.1"
_VALUED = "oXHdmwurAebTxFDKCyYztc"
_LONG = {
    "silent": "s", "show-error": "S", "fail": "f", "output": "o", "include": "i", "head": "I",
    "request": "X", "header": "H", "data": "d", "data-raw": "d", "data-binary": "d",
    "max-time": "m", "write-out": "w", "verbose": "v", "location": "L", "insecure": "k",
    "user": "u", "user-agent": "A", "compressed": "~", "get": "G", "remote-name": "O",
    "version": "V", "help": "h", "proxy": "x", "cookie": "b", "referer": "e", "form": "F",
    "dump-header": "D", "upload-file": "T", "ipv4": "4", "ipv6": "6", "http1.1": "~",
    "http2": "~", "no-buffer": "N", "globoff": "g", "http2-prior-knowledge": "~", "json": "d",
    "no-progress-meter": "#", "path-as-is": "~", "progress-bar": "#", "fail-with-body": "f",
}  # fmt: skip
# Long options without a letter, and whether they take a value.
_OTHER = {
    "connect-timeout": True, "retry": True, "retry-delay": True, "cacert": True, "resolve": True,
    "cert": True, "key": True, "retry-connrefused": False, "tlsv1.2": False, "noproxy": True,
    "retry-max-time": True, "interface": True, "unix-socket": True, "url": True, "limit-rate": True,
    "data-urlencode": True, "keepalive-time": True, "retry-all-errors": False, "no-keepalive": False,
    "connect-to": True, "oauth2-bearer": True,
}  # fmt: skip
# How long the kernel looks for the owner of an address that nobody has.
_NO_ROUTE_S = 3.057
_HELP = "curl: try 'curl --help' or 'curl --manual' for more information\n"
_METER = (
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
    "                                 Dload  Upload   Total   Spent    Left  Speed\n"
)
_NOTHING = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
_MORE = (
    "More details here: https://curl.se/docs/sslcerts.html\n\n"
    "curl failed to verify the legitimacy of the server and therefore could not\n"
    "establish a secure connection to it. To learn more about this situation and\n"
    "how to fix it, please visit the web page mentioned above."
)


class _UsageError(ValueError):
    """An option that curl does not know; the message is what it says."""


class _Call:
    """A command line of curl taken apart."""

    def __init__(self, words: list[str]) -> None:
        self.flags: dict[str, str] = {}
        self.headers: list[str] = []
        self.data: list[str] = []
        self.urls: list[str] = []
        index = 1
        while index < len(words):
            word = words[index]
            index += 1
            if word.startswith("--") and len(word) > 2:
                name, takes = self._long(word[2:])
                if takes:
                    if index >= len(words):
                        raise _UsageError(f"curl: option {word}: requires parameter\n{_HELP}")
                    self._take(name, words[index])
                    index += 1
                else:
                    self._take(name, "")
            elif word.startswith("-") and len(word) > 1:
                index = self._short(word, words, index)
            else:
                self.urls.append(word)

    @staticmethod
    def _long(name: str) -> tuple[str, bool]:
        if name in _LONG:
            return _LONG[name], _LONG[name] in _VALUED
        if name in _OTHER:
            return name, _OTHER[name]
        raise _UsageError(f"curl: option --{name}: is unknown\n{_HELP}")

    def _short(self, word: str, words: list[str], index: int) -> int:
        for place, letter in enumerate(word[1:], start=1):
            if not re.match(r"[A-Za-z0-9#:]", letter):
                raise _UsageError(f"curl: option {word}: is unknown\n{_HELP}")
            if letter in _VALUED:
                value = word[place + 1 :]
                if not value:
                    if index >= len(words):
                        raise _UsageError(f"curl: option {word}: requires parameter\n{_HELP}")
                    value, index = words[index], index + 1
                self._take(letter, value)
                break
            self._take(letter, "")
        return index

    def _take(self, name: str, value: str) -> None:
        if name == "H":
            self.headers.append(value)
        elif name in ("d", "data-urlencode", "F"):
            self.data.append(value)
        elif name == "url":
            self.urls.append(value)
        else:
            self.flags[name] = value

    @property
    def quiet(self) -> bool:
        """Whether errors are not shown."""
        return "s" in self.flags and "S" not in self.flags

    @property
    def meter(self) -> bool:
        """Whether progress is shown."""
        return not {"s", "#"} & set(self.flags)

    def limit_s(self, name: str) -> float | None:
        """A time limit among the options."""
        text = self.flags.get(name, "")
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def _curl(session: Session, words: list[str], _stdin: str) -> Output:
    try:
        call = _Call(words)
    except _UsageError as error:
        return Output(2, "", str(error))
    if "V" in call.flags:
        return Output(
            0, f"curl {_VERSION} (x86_64-pc-linux-gnu) libcurl/{_VERSION} OpenSSL/3.0.15\n"
        )
    if not call.urls:
        return Output(2, "", f"curl: no URL specified!\n{_HELP}".replace(" or 'curl --manual'", ""))
    code, out, err = 0, "", ""
    for url in call.urls:
        result = _one(session, call, url)
        code, out, err = result.code or code, out + result.out, err + result.err
    return Output(code, out, err)


def _one(session: Session, call: _Call, url: str) -> Output:
    scheme, colon, _ = url.partition("://")
    if colon and scheme.lower() not in ("http", "https", "telnet"):
        text = f'Protocol "{scheme}" not supported or disabled in libcurl'
        return Output(1, "", "" if call.quiet else f"curl: (1) {text}\n")
    if " " in url:
        text = "URL using bad/illegal format or missing URL"
        return Output(3, "", "" if call.quiet else f"curl: (3) {text}\n")
    full = url if colon else f"http://{url}"
    if not re.search(r"://[^/?]+[/?]", full):
        full += "/"
    method = call.flags.get("X") or (
        "HEAD" if "I" in call.flags else "POST" if call.data and "G" not in call.flags else "GET"
    )
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (header.partition(":") for header in call.headers)
    }
    if "oauth2-bearer" in call.flags:
        headers["authorization"] = f"Bearer {call.flags['oauth2-bearer']}"
    headers.setdefault("user-agent", call.flags.get("A", f"curl/{_VERSION}"))
    asked = Asked(method, full, headers, "&".join(call.data))
    insecure = "k" in call.flags or "cacert" in call.flags
    result = fetch(session, asked, insecure=insecure)
    if result.answer is None:
        return _failed(session, call, result, full)
    return _answered(session, call, result, full, method)


def _failed(session: Session, call: _Call, result: Fetched, url: str) -> Output:
    code, text, seconds = _failure(call, result)
    session.slept_s += seconds
    verbose = _verbose_failure(result, text) if "v" in call.flags else ""
    meter = f"{_METER}\r{_NOTHING}\n" if call.meter else ""
    shown = "" if call.quiet else f"curl: ({code}) {text}\n"
    out = _written_out(call, result, None, url, code, text, seconds)
    return Output(code, out, meter + verbose + shown)


def _failure(call: _Call, result: Fetched) -> tuple[int, str, float]:
    """Exit code, text and the seconds until it is known."""
    facts = result.target.facts
    host, port = facts["host"], facts["port"]
    if result.kind == "dns":
        return 6, f"Could not resolve host: {host}", 0.0
    slow = result.kind == "no_route" and (call.limit_s("m") or _NO_ROUTE_S) < _NO_ROUTE_S
    if result.kind == "timeout" or slow:
        most, connecting = call.limit_s("m"), call.limit_s("connect-timeout")
        if connecting is not None and (most is None or connecting < most):
            text = f"Connection timeout after {int(connecting * 1000) + 1} ms"
            return 28, text, connecting
        if most is not None:
            return 28, f"Connection timed out after {int(most * 1000) + 1} milliseconds", most
        after = int(CONNECT_S * 1000)
        text = (
            f"Failed to connect to {host} port {port} after {after} ms: Couldn't connect to server"
        )
        return 28, text, CONNECT_S
    if result.kind in ("refused", "no_route", "unreachable"):
        after = int(_NO_ROUTE_S * 1000) if result.kind == "no_route" else 1
        text = (
            f"Failed to connect to {host} port {port} after {after} ms: Couldn't connect to server"
        )
        return 7, text, after / 1000
    if result.kind == "empty":
        return 52, "Empty reply from server", 0.0
    if result.kind == "garbage":
        return 1, "Received HTTP/0.9 when not allowed", 0.0
    if result.kind == "tls-mismatch":
        return 35, "error:0A00010B:SSL routines::wrong version number", 0.0
    if result.kind == "untrusted":
        words = result.untrusted or "unable to get local issuer certificate"
        if words.startswith("no name matches "):
            host = words.removeprefix("no name matches ")
            text = "SSL: no alternative certificate subject name matches target host name"
            return 60, f"{text} '{host}'\n{_MORE}", 0.0
        return 60, f"SSL certificate problem: {words}\n{_MORE}", 0.0
    return 56, "Recv failure: Connection reset by peer", 0.0


def _verbose_failure(result: Fetched, text: str) -> str:
    facts = result.target.facts
    if result.kind == "dns":
        return f"* {text}\n* Closing connection 0\n"
    out = f"*   Trying {facts['ip']}:{facts['port']}...\n"
    if result.kind in ("refused", "no_route", "unreachable"):
        out += f"* connect to {facts['ip']} port {facts['port']} failed: {WORDS[result.kind]}\n"
    elif result.kind == "timeout":
        out += "* Connection timed out\n"
    else:
        out += f"* Connected to {facts['host']} ({facts['ip']}) port {facts['port']} (#0)\n"
    return f"{out}* {text.splitlines()[0]}\n* Closing connection 0\n"


def _answered(session: Session, call: _Call, result: Fetched, url: str, method: str) -> Output:
    answer, flags = result.answer, call.flags
    assert answer is not None
    limit_s = call.limit_s("m")
    if limit_s is not None and result.seconds > limit_s:
        session.slept_s += limit_s
        text = f"Operation timed out after {int(limit_s * 1000) + 1} milliseconds with 0 bytes received"
        out = _written_out(call, result, None, url, 28, text, limit_s)
        return Output(28, out, "" if call.quiet else f"curl: (28) {text}\n")
    session.slept_s += result.seconds
    body = "" if "I" in flags else answer.body
    size = len(body.encode(errors="surrogateescape"))
    err = _meter(size, result.seconds) if (call.meter and "I" not in flags) or call.meter else ""
    if "v" in flags:
        err += _verbose(call, result, url, method, size)
    if "f" in flags and answer.status >= 400:
        text = f"The requested URL returned error: {answer.status}"
        out = _written_out(call, result, answer, url, 22, text, result.seconds)
        return Output(22, out, err + ("" if call.quiet else f"curl: (22) {text}\n"))
    head = "".join(f"{line}\r\n" for line in _head(result))
    out = f"{head}\r\n{body}" if {"i", "I"} & set(flags) else body
    name = flags.get("o")
    if "O" in flags:
        name = url.rstrip("/").rpartition("/")[2]
    if name is not None and name != "-":
        try:
            session.files.write(session.path(name), out)
        except FileError as error:
            shown = f"Warning: Failed to open the file {name}: {error.words}\n"
            return Output(23, "", f"{shown}curl: (23) Failure writing output to destination\n")
        out = ""
    return Output(0, out + _written_out(call, result, answer, url, 0, "", result.seconds), err)


def _meter(size: int, seconds: float) -> str:
    speed = int(size / seconds)
    row = f"100 {size:>5}  100 {size:>5}    0     0 {speed:>6}      0 --:--:-- --:--:-- --:--:-- {speed:>5}"
    return f"{_METER}\r{_NOTHING}\r{row}\n"


def _head(result: Fetched) -> list[str]:
    assert result.answer is not None
    status = result.answer.status
    version = "HTTP/2" if result.target.listener == "https" else "HTTP/1.1"
    reason = "" if version == "HTTP/2" else REASONS.get(status, "")
    return [f"{version} {status} {reason}", *(f"{n}: {v}" for n, v in result.headers)]


def _verbose(call: _Call, result: Fetched, url: str, method: str, size: int) -> str:
    facts = result.target.facts
    place = f"{facts['host']} ({facts['ip']}) port {facts['port']} (#0)"
    out = f"*   Trying {facts['ip']}:{facts['port']}...\n* Connected to {place}\n"
    path = "/" + url.partition("://")[2].partition("/")[2]
    netloc = url.partition("://")[2].partition("/")[0]
    given = [header.partition(":")[0].lower() for header in call.headers]
    lines = [f"{method} {path} HTTP/1.1"]
    defaults = (("Host", netloc), ("User-Agent", f"curl/{_VERSION}"), ("Accept", "*/*"))
    lines += [f"{name}: {value}" for name, value in defaults if name.lower() not in given]
    lines += call.headers
    if call.data:
        body = "&".join(call.data)
        lines.append(f"Content-Length: {len(body.encode())}")
        if "content-type" not in given:
            lines.append("Content-Type: application/x-www-form-urlencoded")
    out += "".join(f"> {line}\n" for line in [*lines, ""])
    out += "".join(f"< {line}\n" for line in [*_head(result), ""])
    if size:
        out += f"{{ [{size} bytes data]\n"
    closes = ("Connection", "close") in result.headers
    return out + (
        "* Closing connection 0\n"
        if closes
        else f"* Connection #0 to host {facts['host']} left intact\n"
    )


def _written_out(
    call: _Call,
    result: Fetched,
    answer: WebAnswer | None,
    url: str,
    code: int,
    text: str,
    seconds: float,
) -> str:
    """What `-w` asks for."""
    form = call.flags.get("w", "")
    if not form:
        return ""
    facts = result.target.facts
    connected = answer is not None or result.kind in ("empty", "garbage", "reset")
    status = f"{answer.status:03d}" if answer is not None else "000"
    size = len(answer.body.encode(errors="surrogateescape")) if answer is not None else 0
    values = {
        "http_code": status, "response_code": status, "exitcode": str(code), "errormsg": text,
        "time_total": f"{seconds:.6f}", "time_connect": f"{0.0009 if connected else 0:.6f}",
        "time_namelookup": f"{0.0006 if result.kind != 'dns' else 0:.6f}",
        "time_starttransfer": f"{seconds * 0.95 if answer is not None else 0:.6f}",
        "time_appconnect": "0.000000", "time_pretransfer": f"{0.001 if connected else 0:.6f}",
        "time_redirect": "0.000000", "size_download": str(size), "size_header": "120",
        "remote_ip": facts["ip"] if connected else "", "num_redirects": "0", "num_connects": "1",
        "remote_port": facts["port"] if connected else "0", "local_ip": facts.get("pod_ip", ""),
        "local_port": "43210", "url_effective": url, "url": url, "method": "GET",
        "content_type": answer.content_type if answer is not None else "", "http_version": "1.1",
        "scheme": url.partition(":")[0].upper(), "ssl_verify_result": "0",
        "speed_download": str(int(size / seconds) if seconds else 0), "speed_upload": "0",
    }  # fmt: skip
    shown = re.sub(r"%\{(\w+)\}", lambda match: values.get(match.group(1), ""), form)
    return shown.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("%%", "%")


CURL_COMMANDS: dict[str, Command] = {"curl": _curl}
