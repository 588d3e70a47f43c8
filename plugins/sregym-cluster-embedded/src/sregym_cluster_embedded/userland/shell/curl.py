"""curl: 7.88 as Debian 12 and its relatives have it, 8 in images that bring it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from sregym_cluster_embedded.network import certificates
from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell import curl_words as words_of
from sregym_cluster_embedded.userland.shell.curl_line import HELP, Call, UsageError, expanded
from sregym_cluster_embedded.userland.shell.curl_sending import Sent, sent
from sregym_cluster_embedded.userland.shell.curl_values import values_of
from sregym_cluster_embedded.userland.shell.dns_queries import resolve_failure
from sregym_cluster_embedded.userland.shell.http import Fetched, HttpRequest, fetch
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.tls import certificate_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.kinds.kind import WebAnswer

_REDIRECTS = (301, 302, 303, 307, 308)
_TRANSIENT = (408, 429, 500, 502, 503, 504)
_MOST_PORT = 65535


@dataclass
class _Transfer:
    """One address of a command line, and what came of it.

    Attributes:
        url: Where it went at last.
        code: With what it ended.
        text: Why it failed.
        out: What it writes to its output, or to the file of `-o`.
        heads: The lines above all answers.
        err: What it says.
        redirects: How many it followed.
        status: Of the last answer; 0 without one.
        kind: How it failed, as `Fetched` has it.
        values: What `-w` may ask for.
    """

    url: str
    code: int = 0
    text: str = ""
    out: str = ""
    heads: str = ""
    err: str = ""
    redirects: int = 0
    status: int = 0
    kind: str = ""
    values: dict[str, str] = field(default_factory=dict)


class _Curl:
    """Carries out a command line."""

    def __init__(self, session: Session, call: Call, stdin: str) -> None:
        self.session, self.call, self.stdin = session, call, stdin
        self.version = words_of.version_of(session)
        self.verbose = "v" in call.flags

    def run(self) -> Output:
        """All addresses, one after the other."""
        code, out, err = 0, "", ""
        urls = [each for url in self.call.urls for each in self._spread(url)]
        for number, url in enumerate(urls):
            place = min(number, len(self.call.outputs) - 1)
            name = self.call.outputs[place] if self.call.outputs else "-"
            result = self._tried(url, name)
            code, out, err = result.code or code, out + result.out, err + result.err
        return Output(code, out, err)

    def _spread(self, url: str) -> list[str]:
        return [url] if "g" in self.call.flags else expanded(url)

    def _tried(self, url: str, name: str | None) -> Output:
        """One address, as often as `--retry` says."""
        left = int(float(self.call.flags.get("retry", "0")))
        wait_s, out, err = 1.0, "", ""
        given = self.call.limit_s("retry-delay")
        while True:
            transfer = self._transfer(url)
            result = self._delivered(transfer, name)
            out, err = out + result.out, err + result.err
            reason = self._passing(transfer) if left else ""
            if not reason:
                written = self._written_out(transfer)
                return Output(result.code, out + written, err)
            pause_s = given or wait_s
            if "s" not in self.call.flags:
                text = (
                    f"Problem{reason}. Will retry in {int(pause_s)} seconds. {left} retries left."
                )
                err += words_of.warned(text)
            self.session.slept_s += pause_s
            left, wait_s = left - 1, wait_s * 2

    def _passing(self, transfer: _Transfer) -> str:
        """Why another try may go better; empty when it would not."""
        if transfer.code in (6, 28):
            return ": timeout"
        if transfer.code == 7 and "retry-connrefused" in self.call.flags:
            return ": connection refused"
        if transfer.code in (0, 22) and transfer.status in _TRANSIENT:
            return ": HTTP error"
        if transfer.code and "retry-all-errors" in self.call.flags:
            return " (retrying all errors)"
        return ""

    def _failed(self, transfer: _Transfer, code: int, text: str) -> _Transfer:
        transfer.code, transfer.text = code, text
        return transfer

    def _transfer(self, url: str) -> _Transfer:
        transfer = _Transfer(url)
        scheme, colon, rest = url.partition("://")
        if colon and scheme.lower() == "file":
            return self._file(transfer, rest)
        if colon and scheme.lower() not in ("http", "https", "telnet"):
            said = f'Protocol "{scheme}" not supported or disabled in libcurl'
            if words_of.number_of(self.version) >= (8, 1):
                said = f'Protocol "{scheme}" not supported'
            return self._failed(transfer, 1, said)
        full = url if colon else f"http://{url}"
        why = _mistake(full)
        if why:
            return self._failed(transfer, 3, words_of.bad_url(self.version, why))
        if not re.search(r"://[^/?]+[/?]", full):
            full += "/"
        made = sent(self.session, self.call, full, self.stdin, self.version)
        transfer.err += words_of.warned(made.warning[9:].rstrip("\n")) if made.warning else ""
        most = int(float(self.call.flags.get("max-redirs", "50")))
        while True:
            answer, result = self._sent(transfer, made)
            if answer is None:
                return transfer
            target = {n.lower(): v for n, v in result.headers}.get("location")
            if "L" not in self.call.flags or answer.status not in _REDIRECTS or not target:
                return transfer
            transfer.out = ""
            if transfer.redirects >= most:
                return self._failed(transfer, 47, f"Maximum ({most}) redirects followed")
            transfer.redirects += 1
            made = self._redirected(transfer, made, target, answer.status)

    def _redirected(self, transfer: _Transfer, made: Sent, target: str, status: int) -> Sent:
        url = urljoin(made.url, target)
        if self.verbose:
            transfer.err += f"* Issue another request to this URL: '{url}'\n"
        found = sent(self.session, self.call, url, self.stdin, self.version)
        if made.method == "POST" and status in (301, 302, 303) and "X" not in self.call.flags:
            kept = [pair for pair in found.headers if not pair[0].startswith("Content-")]
            return found._replace(method="GET", body="", headers=tuple(kept), url=url)
        return found

    def _file(self, transfer: _Transfer, path: str) -> _Transfer:
        found = self.session.files.read(self.session.path(path))
        if found is None:
            return self._failed(transfer, 37, f"Couldn't open file {path}")
        transfer.out = found
        return transfer

    def _sent(self, transfer: _Transfer, made: Sent) -> tuple[WebAnswer | None, Fetched]:
        """One request and its answer; None when there is none."""
        session, call = self.session, self.call
        transfer.url = made.url
        parts = urlsplit(made.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        place = self._place(host, port)
        path = made.url.partition("://")[2].partition("/")[2]
        url = made.url if place is None else f"{parts.scheme}://{place}/{path}"
        insecure = "k" in call.flags or "cacert" in call.flags
        result = fetch(
            session,
            HttpRequest(made.method, url, made.lowered(), made.body, host),
            insecure=insecure,
        )
        if place is not None and "x" not in call.flags:
            facts = {**result.target.facts, "host": host}
            result = replace_target(result, facts)
        transfer.kind = result.kind
        self._speak(transfer, made, result, insecure=insecure)
        if result.answer is None:
            code, text, seconds = words_of.failure(call, result, self.version)
            if result.kind == "dns":
                code, text, seconds = self._unresolved(host, code, text)
            if code == 6 and "x" in call.flags:
                code, text = 5, f"Could not resolve proxy: {result.target.facts['host']}"
            session.slept_s += seconds
            self._failed(transfer, code, text)
            transfer.values = values_of(session, call, made, result, seconds)
            return None, result
        limit_s = call.limit_s("m")
        if limit_s is not None and result.seconds > limit_s:
            session.slept_s += limit_s
            took = int(limit_s * 1000) + 1
            text = f"Operation timed out after {took} milliseconds with 0 bytes received"
            self._failed(transfer, 28, text)
            transfer.values = values_of(session, call, made, result._replace(answer=None), limit_s)
            return None, result
        session.slept_s += result.seconds
        transfer.status = result.answer.status
        h2 = words_of.is_http2(call, made, result)
        transfer.heads += "".join(f"{line}\r\n" for line in words_of.head(result, h2=h2)) + "\r\n"
        transfer.out = "" if made.method == "HEAD" else result.answer.body
        transfer.values = values_of(session, call, made, result, result.seconds)
        if result.answer.status >= 400 and {"f", "fail-with-body"} & set(call.flags):
            self._failed(transfer, 22, f"The requested URL returned error: {result.answer.status}")
            if "f" in call.flags:
                transfer.out = ""
        return result.answer, result

    def _unresolved(self, host: str, code: int, text: str) -> tuple[int, str, float]:
        """A name that was not found, unless a limit came first."""
        _, took_s = resolve_failure(self.session, host)
        limits = [self.call.limit_s("m"), self.call.limit_s("connect-timeout")]
        limit_s = min((limit for limit in limits if limit is not None), default=took_s + 1)
        if took_s > limit_s:
            return 28, f"Resolving timed out after {int(limit_s * 1000)} milliseconds", limit_s
        return code, text, took_s

    def _place(self, host: str, port: int) -> str | None:
        """Where to connect instead of the address's own host."""
        for kind, value in self.call.places:
            first, number, rest = (*value.split(":", 2), "", "")[:3]
            if first.lstrip("+-") in (host, "*", "") and number in (str(port), "*", ""):
                if kind == "resolve":
                    return f"{rest.split(',')[0].strip('[]')}:{port}"
                other, _, at = rest.partition(":")
                return f"{other or host}:{at or port}"
        proxy = self.call.flags.get("x")
        if proxy and host not in self.call.flags.get("noproxy", "").split(","):
            bare = proxy.partition("://")[2] or proxy
            return bare.rstrip("/") if ":" in bare else f"{bare.rstrip('/')}:1080"
        return None

    def _speak(self, transfer: _Transfer, made: Sent, result: Fetched, *, insecure: bool) -> None:
        """`-v`."""
        if not self.verbose:
            return
        facts = result.target.facts
        if result.kind == "dns":
            transfer.err += f"* Could not resolve host: {facts['host']}\n"
            transfer.err += words_of.closing(self.version)
            return
        transfer.err += words_of.connecting(self.call, result, self.version)
        secure = made.url.lower().startswith("https:")
        h2 = words_of.is_http2(self.call, made, result)
        connected = result.kind not in ("refused", "no_route", "unreachable", "timeout")
        if secure and connected:
            name = urlsplit(made.url).hostname or ""
            shown = certificate_of(self.session, result.target, name)
            now = self.session.files.now
            said = certificates.complaint(shown, name, now) if shown is not None else ""
            trusted = "/etc/ssl/certs/ca-certificates.crt"
            transfer.err += words_of.handshake(
                shown,
                "" if "cacert" in self.call.flags else said,
                insecure=insecure,
                offered="http/1.1" if "http1.1" in self.call.flags else "h2,http/1.1",
                h2=h2,
                local=self.call.flags.get("cacert", trusted),
            )
        if result.answer is None:
            if result.kind in ("empty", "reset", "garbage"):
                transfer.err += words_of.request(self.call, made, self.version, h2=h2)
            _, text, _ = words_of.failure(self.call, result, self.version)
            transfer.err += f"* {text.splitlines()[0]}\n{words_of.closing(self.version)}"
            return
        transfer.err += words_of.request(self.call, made, self.version, h2=h2)
        transfer.err += "".join(f"< {line}\n" for line in [*words_of.head(result, h2=h2), ""])
        size = len(result.answer.body.encode(errors="surrogateescape"))
        if size and made.method != "HEAD":
            transfer.err += f"{{ [{size} bytes data]\n"
        closes = ("Connection", "close") in result.headers
        left = f"* Connection #0 to host {facts['host']} left intact\n"
        transfer.err += words_of.closing(self.version) if closes else left

    def _delivered(self, transfer: _Transfer, name: str | None) -> Output:
        """What goes to standard output, to files and to the error stream."""
        call, flags = self.call, self.call.flags
        err = self._progress(transfer)
        text = transfer.heads if {"i", "I"} & set(flags) else ""
        text += transfer.out
        dumped = flags.get("D")
        out = ""
        if dumped is not None and transfer.heads:
            problem = "" if dumped == "-" else self._saved(dumped, transfer.heads)
            out = transfer.heads if dumped == "-" else ""
            if problem:
                return Output(23, "", err + problem)
        if name is None:
            name = urlsplit(transfer.url).path.rpartition("/")[2]
            if not name:
                said = "Remote file name has no length!\n"
                return Output(23, "", f"curl: {said}{HELP}" if not call.quiet else "")
        if name != "-" and (transfer.heads or transfer.out) and not (transfer.code and not text):
            problem = self._saved(name, text)
            if problem:
                transfer.code = 23
                return Output(23, "", err + problem)
            text = ""
        if transfer.code and not call.quiet:
            err += f"curl: ({transfer.code}) {transfer.text}\n"
        return Output(transfer.code, out + text, err)

    def _saved(self, name: str, text: str) -> str:
        session = self.session
        try:
            if name != "/dev/null":
                session.files.write(session.path(name), text)
        except FileError as error:
            warning = f"Failed to open the file {name}: {error.words}"
            shown = "" if "s" in self.call.flags else words_of.warned(warning)
            failed = "Failure writing output to destination"
            return shown + ("" if self.call.quiet else f"curl: (23) {failed}\n")
        return ""

    def _progress(self, transfer: _Transfer) -> str:
        if {"s", "#"} & set(self.call.flags) or transfer.code in (1, 3, 37):
            return transfer.err
        if transfer.status:
            size = len(transfer.out.encode(errors="surrogateescape"))
            seconds = float(transfer.values.get("time_total", "0.0016")) or 0.0016
            return words_of.meter(size, seconds) + transfer.err
        return f"{words_of.METER}\r{words_of.NOTHING}\n{transfer.err}"

    def _written_out(self, transfer: _Transfer) -> str:
        """What `-w` asks for."""
        form = self.call.flags.get("w", "")
        if form.startswith("@"):
            form = self.session.files.read(self.session.path(form[1:])) or ""
        if not form:
            return ""
        values = {
            **transfer.values, "exitcode": str(transfer.code), "num_redirects": str(transfer.redirects),
            "errormsg": transfer.text.split("\n")[0], "url_effective": transfer.url, "url": transfer.url,
            "stdout": "", "stderr": "", "onerror": "", "num_headers": str(transfer.heads.count("\r\n")),
        }  # fmt: skip

        def one(match: re.Match[str]) -> str:
            if match[1] is None:
                return {"n": "\n", "t": "\t", "r": "\r"}.get(match[2], "%")
            return values.get(match[1], "")

        return re.sub(r"%\{(\w+)\}|\\([ntr])|%%", one, form)


def _mistake(url: str) -> str:
    """Why an address is none; empty when it is one."""
    netloc = url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
    if " " in url:
        return "Malformed input to a URL function"
    if not netloc or netloc.startswith(":"):
        return "No host part in the URL"
    if not _is_host(netloc):
        return "Bad IPv6 address" if "[" in netloc else "Bad hostname"
    port = netloc.rpartition(":")[2] if ":" in netloc and not netloc.endswith("]") else ""
    if port and (not port.isdecimal() or int(port) > _MOST_PORT):
        return "Port number was not a decimal number between 0 and 65535"
    return ""


def _is_host(netloc: str) -> bool:
    try:
        urlsplit(f"//{netloc}")
    except ValueError:
        return False
    return True


def replace_target(result: Fetched, facts: dict[str, str]) -> Fetched:
    """The same end with other facts about it."""
    return result._replace(target=replace(result.target, facts=facts))


def _curl(session: Session, words: list[str], stdin: str) -> Output:
    try:
        call = Call(words)
    except UsageError as error:
        return Output(2, "", str(error))
    if "V" in call.flags:
        return Output(0, words_of.about(words_of.version_of(session)))
    if not call.urls:
        if words_of.number_of(words_of.version_of(session)) >= (8, 10):
            return Output(
                2, "", f"curl: (2) no URL specified\n{HELP}".replace(" or 'curl --manual'", "")
            )
        return Output(2, "", f"curl: no URL specified!\n{HELP}".replace(" or 'curl --manual'", ""))
    return _Curl(session, call, stdin).run()


CURL_COMMANDS: dict[str, Command] = {"curl": _curl}
