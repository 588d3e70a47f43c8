"""redis-cli and valkey-cli, with their output for scripts (not a terminal)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sregym_cluster_embedded.sdk.commands import (
    WORDS,
    Output,
    Session,
    allocate,
    connect,
    spend,
    wait_for,
)
from sregym_cluster_embedded.sdk.servers import Process, connection_count, process_of

from sregym_server_redis.connection import FULL_OF_CLIENTS
from sregym_server_redis.printing import (
    as_json,
    comma_separated,
    formatted,
    raw,
)
from sregym_server_redis.replies import BlockedCommand, requests, split_line
from sregym_server_redis.sentinel_commands import client_of
from sregym_server_redis.surveys import SURVEYS
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_server_redis.server import CommandConnection

_VALUED = frozenset(
    {"-h", "-p", "-a", "-n", "-u", "-s", "-r", "-i", "-d", "-D", "-X", "-t", "--user", "--pass"}
    | {"--pattern", "--rdb", "--eval", "--pipe-timeout", "--memkeys-samples", "--cacert", "--cert"}
    | {"--key", "--sni", "--cacertdir", "--tls-ciphers", "--intrinsic-latency", "--quoted-pattern"}
    | {"--lru-test", "--show-pushes", "--functions-rdb", "--tls-ciphersuites"}
)
_PLAIN = frozenset(
    {"-x", "-c", "-e", "-2", "-3", "--raw", "--no-raw", "--csv", "--json", "--quoted-json"}
    | {"--no-auth-warning", "--tls", "--insecure", "--quoted-input", "--verbose", "--askpass"}
    | {"--pipe", "--replica", "--slave", "--version", "-v", "--help", "--ldb", "--ldb-sync-mode"}
    | SURVEYS.keys()
)
_UNSAFE = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n"
# Replies that are written as they are.
_VERBATIM = (
    ("info",), ("lolwut",), ("memory", "malloc-stats"), ("memory", "doctor"),
    ("latency", "graph"), ("latency", "doctor"), ("cluster", "nodes"), ("cluster", "info"),
    ("client", "list"), ("client", "info"),
)  # fmt: skip


@dataclass
class Call:
    """One run of the client.

    Attributes:
        name: The command.
        given: Options with their values.
        words: What the server is asked for; empty when it stands on standard input.
        out: What has been written so far.
        err: Errors that have been written so far.
    """

    name: str
    given: dict[str, str]
    words: list[str]
    out: str = ""
    err: str = ""

    @property
    def form(self) -> str:
        """How replies are written: the last of the options that say so."""
        forms = ("--raw", "--no-raw", "--csv", "--json", "--quoted-json")
        return next((name for name in reversed(self.given) if name in forms), "--raw")


def _parse(words: list[str]) -> Call | Output:
    given: dict[str, str] = {}
    index = 1
    while index < len(words) and words[index].startswith("-"):
        word = words[index]
        index += 1
        lacks = word in _VALUED and index >= len(words)
        if word in ("--help",) or (word == "-h" and lacks):
            return Output(
                0, f"{words[0]} 7.0.15\n\nUsage: {words[0]} [OPTIONS] [cmd [arg [arg ...]]]\n"
            )
        if lacks or word not in _VALUED | _PLAIN:
            text = f"Unrecognized option or bad number of args for: '{word}'\n"
            return Output(1, "", text)
        given.pop(word, None)
        given[word] = words[index] if word in _VALUED else ""
        index += word in _VALUED
    return Call(words[0].rpartition("/")[2], given, words[index:])


def redis_cli(session: Session, words: list[str], stdin: str) -> Output:
    """The commands `redis-cli` and `valkey-cli`."""
    call = _parse(words)
    if isinstance(call, Output):
        return call
    if call.given.keys() & {"--version", "-v"}:
        return Output(0, f"{call.name} {_version(session)}\n")
    host, port = _place(call)
    server, error = _server(session, call, host, port)
    if server is None:
        return Output(1, "", error)
    local = host in ("127.0.0.1", "localhost", "::1")
    client = client_of(session.world, server, "127.0.0.1" if local else _address(session))
    if connection_count(session.world, server.ref) >= int(client.setting("maxclients")):
        return Output(0, f"{FULL_OF_CLIENTS}\n\n")
    _introduce(session, call, client)
    for name, survey in SURVEYS.items():
        if name in call.given:
            return survey(session, client, call.given)
    if "--pipe" in call.given:
        return _piped(call, client, stdin)
    if "-x" in call.given:
        call.words.append(stdin)
        stdin = ""
    return _answered(session, call, client, stdin)


def _answered(session: Session, call: Call, client: CommandConnection, stdin: str) -> Output:
    code = 0
    times = call.given.get("-r", "1")
    for words in _lines(stdin) if not call.words else [call.words]:
        if words is None:
            call.out += "Invalid argument(s)\n"
            continue
        if not call.words and words[0].lower() in ("quit", "exit"):
            break
        for turn in range(int(times) if times.isdecimal() and call.words else 1):
            if turn and "-i" in call.given:
                session.slept_s += float(call.given["-i"])
            if not _one(session, call, client, words):
                code = 1
            if session.slept_s and session.endless:
                return Output(code, call.out, call.err)
    return Output(code, call.out, call.err)


def _lines(stdin: str) -> Iterator[list[str] | None]:
    for line in stdin.splitlines():
        if line.strip():
            yield split_line(line)


def _one(session: Session, call: Call, client: CommandConnection, words: list[str]) -> bool:
    """Ask for one thing; whether that went well, as far as the options care."""
    spend(40)
    allocate(len(call.out) >> 4)
    try:
        reply = client.run(words)
    except BlockedCommand as held:
        for first in held.first:
            call.out += _shown(call, client, words, first)
        if held.seconds is None:
            session.endless = True
        wait_for(session, held.seconds if held.seconds is not None else 3600.0)
        reply = held.last
        if held.seconds is None:
            return True
    except Refused as refusal:
        if "-e" in call.given:
            call.err += f"{refusal}\n"
            return False
        reply = refusal
    call.out += _shown(call, client, words, reply)
    return True


def _shown(call: Call, client: CommandConnection, words: list[str], reply: Any) -> str:
    form, lower = call.form, tuple(word.lower() for word in words)
    verbatim = any(lower[: len(head)] == head for head in _VERBATIM)
    if form == "--csv":
        return f"{comma_separated(reply)}\n"
    if form in ("--json", "--quoted-json"):
        return f"{as_json(reply)}\n"
    if form == "--no-raw" and not verbatim:
        return formatted(reply, client.protocol)
    return raw(reply, client.protocol) + ("" if verbatim else call.given.get("-D", "\n"))


def _introduce(session: Session, call: Call, client: CommandConnection) -> None:
    """Log in, choose the protocol and the database."""
    password, user = _password(session, call), _user(call)
    typed = bool(call.given.keys() & {"-a", "--pass"}) or ":" in _login(call)
    if typed and "--no-auth-warning" not in call.given:
        call.err += _UNSAFE
    if password:
        try:
            client.run(["auth", *([] if user is None else [user]), password])
        except Refused as refusal:
            call.err += f"AUTH failed: {refusal}\n"
    newer = "-3" in call.given or (call.form == "--json" and "-2" not in call.given)
    if newer and client.release >= (6,):
        try:
            client.run(["hello", "3"])
        except Refused as refusal:
            call.err += f"HELLO 3 failed: {refusal}\n"
    number = call.given.get("-n") or _url(call).partition("/")[2] or "0"
    number = number if number.lstrip("-").isdecimal() else "0"
    if number != "0":
        try:
            client.run(["select", number])
        except Refused as refusal:
            call.err += f"SELECT {number} failed: {refusal}\n"


def _url(call: Call) -> str:
    """Where to, of the address that was given: host, port and database."""
    return call.given.get("-u", "").partition("://")[2].rpartition("@")[2]


def _login(call: Call) -> str:
    return call.given.get("-u", "").partition("://")[2].rpartition("@")[0]


def _password(session: Session, call: Call) -> str:
    typed = call.given.get("-a") or call.given.get("--pass")
    _, colon, password = _login(call).partition(":")
    if colon:
        typed = unquote(password)
    elif _login(call):
        typed = unquote(_login(call))
    return typed or session.environment.get("REDISCLI_AUTH", "")


def _user(call: Call) -> str | None:
    # An address that has a password always names a user, and be it an empty name.
    name, colon, _ = _login(call).partition(":")
    return unquote(name) if colon else call.given.get("--user")


def _place(call: Call) -> tuple[str, int]:
    host, port = call.given.get("-h", "127.0.0.1"), call.given.get("-p", "6379")
    if "-u" in call.given:
        host, _, port = _url(call).partition("/")[0].partition(":")
        port = port or "6379"
    return host or "127.0.0.1", int(port) if port.isdecimal() else 0


def _address(session: Session) -> str:
    return str(session.process.config.pod_ip)


def _server(session: Session, call: Call, host: str, port: int) -> tuple[Process | None, str]:
    name = "Valkey" if "valkey" in session.image.tools else "Redis"
    if "-s" in call.given:
        place = call.given["-s"]
        return None, f"Could not connect to {name} at {place}: No such file or directory\n"
    target = connect(session, host, port, "keyvalue")
    head = f"Could not connect to {name} at {host}:{port}: "
    if target.kind == "dns":
        words = "Name does not resolve" if session.busybox else "Name or service not known"
        return None, f"{head}{words}\n"
    if target.kind == "timeout":
        wait_for(session, None)
    if target.kind and target.kind != "protocol":
        return None, f"{head}{WORDS.get(target.kind, 'Connection refused')}\n"
    server = process_of(session.world, target.ref) if target.ref is not None else None
    if server is None or "redis.storage" not in server.settings:
        return None, "Error: Server closed the connection\n"
    return server, ""


def _version(session: Session) -> str:
    return session.process.settings.get("redis.version", "7.2.4")


def _piped(call: Call, client: CommandConnection, stdin: str) -> Output:
    errors = replies = 0
    try:
        for words in requests(stdin):
            replies += 1
            try:
                client.run(words)
            except BlockedCommand:
                # It never comes to an answer.
                break
            except Refused as refusal:
                errors += 1
                call.err += f"{refusal}\n"
    except Refused as refusal:
        # The server says so and hangs up.
        errors, replies = errors + 1, replies + 1
        call.err += f"{refusal}\n"
    text = "All data transferred. Waiting for the last reply...\nLast reply received from server.\n"
    return Output(1 if errors else 0, f"{text}errors: {errors}, replies: {replies}\n", call.err)
