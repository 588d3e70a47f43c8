"""What curl sends: method, headers and body of a request."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.curl_line import Call
    from sregym_cluster_embedded.userland.shell.session import Session

# What stands between the parts of a form; the real one is random.
_BOUNDARY = "------------------------d74496d66958873e"


class Sent(NamedTuple):
    """A request.

    Attributes:
        method: Its method.
        url: Where it goes, with what `-G` puts behind it.
        headers: As they are written, in order.
        body: What follows them.
        warning: What curl says before it sends it.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str
    warning: str = ""

    def lowered(self) -> dict[str, str]:
        """The headers by lower-case name."""
        return {name.lower(): value for name, value in self.headers}


def sent(session: Session, call: Call, url: str, stdin: str, version: str) -> Sent:
    """The request that a command line makes of an address."""
    flags = call.flags
    body, kind, warning = _body(session, call, stdin)
    if "G" in flags and body:
        url, body = f"{url}{'&' if '?' in url else '?'}{body}", ""
    method = "GET"
    if "I" in flags:
        method = "HEAD"
    elif "T" in flags:
        method = "PUT"
    elif call.data and "G" not in flags:
        method = "POST"
    method = flags.get("X") or method
    parts = urlsplit(url)
    headers: dict[str, tuple[str, str]] = {"host": ("Host", parts.netloc.rpartition("@")[2])}
    user = flags.get("u") or parts.netloc.rpartition("@")[0]
    if user:
        token = base64.b64encode(user.encode()).decode()
        headers["authorization"] = ("Authorization", f"Basic {token}")
    if "oauth2-bearer" in flags:
        headers["authorization"] = ("Authorization", f"Bearer {flags['oauth2-bearer']}")
    headers["user-agent"] = ("User-Agent", flags.get("A", f"curl/{version}"))
    json = any(name == "json" for name, _ in call.data)
    headers["accept"] = ("Accept", "application/json" if json else "*/*")
    for letter, name in (("e", "Referer"), ("b", "Cookie")):
        if letter in flags:
            headers[name.lower()] = (name, flags[letter])
    if "r" in flags:
        headers["range"] = ("Range", f"bytes={flags['r']}")
    own = _given(session, call)
    for name, value in own:
        headers.pop(name.lower(), None)
        if value is not None:
            headers[name.lower()] = (name, value)
    sends = (call.data and "G" not in flags) or "T" in flags
    if sends:
        size = str(len(body.encode(errors="surrogateescape")))
        headers.setdefault("content-length", ("Content-Length", size))
    if kind and sends and not any(name.lower() == "content-type" for name, _ in own):
        headers["content-type"] = ("Content-Type", kind)
    return Sent(method, url, tuple(headers.values()), body, warning)


def _given(session: Session, call: Call) -> list[tuple[str, str | None]]:
    """What `-H` says; None where it takes a header away."""
    found: list[tuple[str, str | None]] = []
    lines: list[str] = []
    for header in call.headers:
        if header.startswith("@"):
            lines += (session.files.read(session.path(header[1:])) or "").splitlines()
        else:
            lines.append(header)
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            found.append((name.strip(), value.strip() or None))
        elif name.endswith(";"):
            found.append((name[:-1], ""))
    return found


def _body(session: Session, call: Call, stdin: str) -> tuple[str, str, str]:
    """Body, its type, and a warning about a file that cannot be read."""
    if "T" in call.flags:
        name = call.flags["T"]
        text = stdin if name == "-" else session.files.read(session.path(name))
        return text or "", "", ""
    if any(name in ("F", "form-string") for name, _ in call.data):
        return _form(session, call), f"multipart/form-data; boundary={_BOUNDARY}", ""
    parts, warning, kind = [], "", "application/x-www-form-urlencoded"
    for name, value in call.data:
        kind = "application/json" if name == "json" else kind
        if name == "data-urlencode":
            key, equals, text = value.partition("=")
            parts.append(
                f"{key}=" * bool(key and equals)
                + quote(text if equals else key, safe="-._~").replace("%20", "+")
            )
        elif value.startswith("@") and name != "raw":
            read = stdin if value == "@-" else session.files.read(session.path(value[1:]))
            if read is None:
                told = f'Couldn\'t read data from file "{value[1:]}", this makes an empty POST.'
                warning += f"Warning: {told}\n"
            parts.append((read or "").replace("\n", "") if name == "d" else read or "")
        else:
            parts.append(value)
    joined = "".join(parts) if kind == "application/json" else "&".join(parts)
    return joined, kind, warning


def _form(session: Session, call: Call) -> str:
    text = ""
    for name, value in call.data:
        key, _, content = value.partition("=")
        text += f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"'
        if content.startswith("@") and name == "F":
            path = content[1:].partition(";")[0]
            text += (
                f'; filename="{path.rpartition("/")[2]}"\r\nContent-Type: application/octet-stream'
            )
            content = session.files.read(session.path(path)) or ""
        text += f"\r\n\r\n{content}\r\n"
    return f"{text}--{_BOUNDARY}--\r\n"
