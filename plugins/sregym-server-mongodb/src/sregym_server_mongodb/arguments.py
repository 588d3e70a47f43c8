"""What the shells of MongoDB are told on their command line."""

from __future__ import annotations

_VALUES = {
    "-u": "user", "--username": "user", "-p": "password", "--password": "password",
    "--authenticationDatabase": "authdb", "--host": "host", "--port": "port", "--eval": "eval",
    "--authenticationMechanism": "mechanism",
    "--tlsCAFile": "authorities", "--sslCAFile": "authorities",
    "--tlsCertificateKeyFile": "certificate", "--sslPEMKeyFile": "certificate",
}  # fmt: skip

# Options without a value.
KNOWN = frozenset(
    {
        *_VALUES.values(),
        "quiet",
        "version",
        "norc",
        "nodb",
        "verbose",
        "shell",
        "tls",
        "ssl",
        "json",
    }
    | {
        "tlsAllowInvalidCertificates",
        "sslAllowInvalidCertificates",
        "ipv6",
        "help",
        "h",
        "retryWrites",
    }
    | {
        "tlsInsecure",
        "tlsAllowInvalidHostnames",
        "disableImplicitSessions",
        "networkMessageCompressors",
    }
)


def evals(words: list[str]) -> list[str]:
    """What all --eval say, in their order."""
    found = []
    for place, word in enumerate(words):
        if word == "--eval" and place + 1 < len(words):
            found.append(words[place + 1])
        elif word.startswith("--eval="):
            found.append(word.partition("=")[2])
    return found


def arguments(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options with their values, and what stands besides."""
    given: dict[str, str] = {}
    operands: list[str] = []
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals and name in _VALUES:
            given[_VALUES[name]] = value
        elif word in _VALUES:
            given[_VALUES[word]] = words[index] if index < len(words) else ""
            index += 1
        elif word[:2] in ("-u", "-p") and len(word) > 2 and not word.startswith("--"):
            given[_VALUES[word[:2]]] = word[2:]
        elif word.startswith("-"):
            given[word.lstrip("-").partition("=")[0]] = "true"
        else:
            operands.append(word)
    return given, operands
