"""The command line of curl."""

from __future__ import annotations

import re

VALUED = "oXHdmwurAebTxFDKCyYztcE"
_LONG = {
    "silent": "s", "show-error": "S", "fail": "f", "output": "o", "include": "i", "head": "I",
    "request": "X", "header": "H", "data": "d", "data-raw": "raw", "data-binary": "d",
    "data-ascii": "d",
    "max-time": "m", "write-out": "w", "verbose": "v", "location": "L", "insecure": "k",
    "user": "u", "user-agent": "A", "compressed": "~", "get": "G", "remote-name": "O",
    "version": "V", "help": "h", "proxy": "x", "cookie": "b", "referer": "e", "form": "F",
    "dump-header": "D", "upload-file": "T", "ipv4": "4", "ipv6": "6", "http1.1": "http1.1",
    "http1.0": "~", "http2": "~", "no-buffer": "N", "globoff": "g", "http2-prior-knowledge": "~",
    "no-progress-meter": "#", "path-as-is": "~", "progress-bar": "#", "continue-at": "C",
    "cookie-jar": "c", "time-cond": "z", "range": "r", "config": "K", "create-dirs": "~",
    "tlsv1.2": "~", "tlsv1.3": "~", "tlsv1": "~", "location-trusted": "L", "cert": "E",
    "no-keepalive": "~", "no-sessionid": "~", "fail-early": "~", "basic": "~", "no-alpn": "~",
    "ssl-no-revoke": "~", "tcp-nodelay": "~", "parallel": "Z",
}  # fmt: skip
# Long options without a letter, and whether they take a value.
_OTHER = {
    "connect-timeout": True, "retry": True, "retry-delay": True, "cacert": True, "resolve": True,
    "key": True, "retry-connrefused": False, "noproxy": True, "capath": True, "json": True,
    "retry-max-time": True, "interface": True, "unix-socket": True, "url": True, "limit-rate": True,
    "data-urlencode": True, "keepalive-time": True, "retry-all-errors": False, "raw": True,
    "connect-to": True, "oauth2-bearer": True, "max-redirs": True, "fail-with-body": False,
    "proxy-user": True, "ciphers": True, "dns-servers": True, "form-string": True,
    "max-filesize": True, "speed-limit": True, "speed-time": True, "stderr": True, "trace": True,
    "tls-max": True, "proto": True, "expect100-timeout": True, "url-query": True, "output-dir": True,
    "happy-eyeballs-timeout-ms": True, "haproxy-protocol": False, "request-target": True,
}  # fmt: skip
HELP = "curl: try 'curl --help' or 'curl --manual' for more information\n"
_NUMBERS = ("m", "retry", "retry-delay", "connect-timeout", "max-redirs", "retry-max-time")
_COLLECTED = ("d", "raw", "data-urlencode", "F", "form-string", "json")


class UsageError(ValueError):
    """An option that curl does not know; the message is what it says."""


class Call:
    """A command line of curl, taken apart.

    Attributes:
        flags: Options by letter, or by name where they have none; the last of a kind counts.
        headers: What `-H` gave, as it was typed.
        data: (option, value) of what is to be sent, in order.
        urls: The addresses.
        outputs: What `-o` gave, one for each address; None for `-O`.
        places: What `--resolve` and `--connect-to` gave.

    Raises:
        UsageError: An option is unknown, lacks its value, or needs a number.
    """

    def __init__(self, words: list[str]) -> None:
        self.flags: dict[str, str] = {}
        self.headers: list[str] = []
        self.data: list[tuple[str, str]] = []
        self.urls: list[str] = []
        self.outputs: list[str | None] = []
        self.places: list[tuple[str, str]] = []
        index = 1
        while index < len(words):
            word = words[index]
            index += 1
            if word.startswith("--") and len(word) > 2:
                name, takes = self._long(word[2:])
                if takes:
                    if index >= len(words):
                        raise UsageError(f"curl: option {word}: requires parameter\n{HELP}")
                    self._take(word, name, words[index])
                    index += 1
                else:
                    self._take(word, name, "")
            elif word.startswith("-") and len(word) > 1:
                index = self._short(word, words, index)
            else:
                self.urls.append(word)

    @staticmethod
    def _long(name: str) -> tuple[str, bool]:
        if name in _LONG:
            letter = _LONG[name]
            return letter, letter in VALUED or letter == "raw"
        if name in _OTHER:
            return name, _OTHER[name]
        if name.startswith("no-") and name[3:] in _LONG:
            return "~", False
        raise UsageError(f"curl: option --{name}: is unknown\n{HELP}")

    def _short(self, word: str, words: list[str], index: int) -> int:
        for place, letter in enumerate(word[1:], start=1):
            if not re.match(r"[A-Za-z0-9#:]", letter):
                raise UsageError(f"curl: option {word}: is unknown\n{HELP}")
            if letter in VALUED:
                value = word[place + 1 :]
                if not value:
                    if index >= len(words):
                        raise UsageError(f"curl: option {word}: requires parameter\n{HELP}")
                    value, index = words[index], index + 1
                self._take(word[: place + 1] if len(word) == 2 else word, letter, value)
                break
            self._take(word, letter, "")
        return index

    def _take(self, word: str, name: str, value: str) -> None:
        if name in _NUMBERS and not re.fullmatch(r"\d+(\.\d+)?", value):
            raise UsageError(f"curl: option {word}: expected a proper numerical parameter\n{HELP}")
        if name == "H":
            self.headers.append(value)
        elif name in _COLLECTED:
            self.data.append((name, value))
        elif name == "url":
            self.urls.append(value)
        elif name in ("resolve", "connect-to"):
            self.places.append((name, value))
        elif name in ("o", "O"):
            self.outputs.append(value if name == "o" else None)
        else:
            self.flags[name] = value

    @property
    def quiet(self) -> bool:
        """Whether errors are not shown."""
        return "s" in self.flags and "S" not in self.flags

    def limit_s(self, name: str) -> float | None:
        """A time limit among the options."""
        text = self.flags.get(name, "")
        return float(text) if text else None


def expanded(url: str) -> list[str]:
    """The addresses that `{a,b}` and `[1-3]` in one stand for."""
    match = re.search(r"\{([^{}]*)\}|\[(\d+)-(\d+)(?::(\d+))?\]|\[([a-z])-([a-z])\]", url)
    if match is None:
        return [url]
    if match[1] is not None:
        parts = match[1].split(",")
    elif match[2] is not None:
        width = len(match[2]) if match[2].startswith("0") else 0
        numbers = range(int(match[2]), int(match[3]) + 1, int(match[4] or 1))
        parts = [str(number).zfill(width) for number in numbers]
    else:
        parts = [chr(code) for code in range(ord(match[5]), ord(match[6]) + 1)]
    rest = expanded(url[match.end() :])
    return [url[: match.start()] + part + tail for part in parts for tail in rest]
