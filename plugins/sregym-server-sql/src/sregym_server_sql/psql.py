"""psql and pg_isready, with their output for scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import WORDS, Output, Session, allocate, connect, wait_for
from sregym_cluster_embedded.sdk.servers import Process, process_of

from sregym_server_sql.engine import read_for
from sregym_server_sql.postgres_limits import require_connection_slot
from sregym_server_sql.postgres_server import (
    PostgresConnection,
    PostgresError,
    Waits,
)
from sregym_server_sql.psql_commands import Client, command
from sregym_server_sql.psql_options import Options, options
from sregym_server_sql.psql_tables import table

if TYPE_CHECKING:
    from sregym_server_sql.engine import Result
    from sregym_server_sql.psql_tables import TableStyle

_DONE = {"truncate": "TRUNCATE TABLE"}
_WAITS_S = 3600.0


def psql(session: Session, words: list[str], stdin: str) -> Output:
    """The command `psql`."""
    given = options(session, words)
    if isinstance(given, Output):
        return given
    try:
        client = connected(session, given, words[0])
    except PostgresError as error:
        return Output(2, "", f"psql: error: {error}\n")
    if given.listing:
        return Output(0, command(client, "\\l"))
    run = _Run(session, client, given)
    code = 0
    for kind, text in given.actions or [("stdin", stdin)]:
        if kind == "file":
            found = session.files.read(session.path(text)) if text != "-" else stdin
            if found is None:
                run.err += f"psql: error: {text}: No such file or directory\n"
                code = 1
                continue
            code = run.script(found, f"psql:{text if text != '-' else '<stdin>'}:{{line}}: ")
        elif kind == "stdin":
            code = run.script(text, "")
        else:
            code = run.whole(text, stdin)
        if code and given.stops:
            break
    if client.connection.before is not None:
        client.connection.execute("rollback")
    session.slept_s += client.connection.slept_s
    return Output(code, run.out, run.err)


def connected(session: Session, given: Options, name: str) -> Client:
    """A client that the server let in.

    Raises:
        PostgresError: It did not, or is not there.
    """
    server, peer = _server(session, given)
    user, database = given.user, given.database or given.user
    connection = PostgresConnection(session.world, server, user, given.password, database, peer)
    require_connection_slot(connection)
    remote = given.host not in ("", "localhost", "127.0.0.1")
    connection.address = session.process.config.pod_ip if remote else None
    return Client(connection, given, given.look, name)


@dataclass
class _Run:
    """What a run of psql has written so far."""

    session: Session
    client: Client
    given: Options
    out: str = ""
    err: str = ""
    stopped: bool = field(default=False)

    def script(self, text: str, head: str) -> int:
        """Statements one by one, from a file or standard input."""
        for line, statement, rest in _pieces(text):
            if statement.startswith("\\"):
                if statement.split()[0] in ("\\q", "\\quit"):
                    break
                self._meta(statement, head.format(line=line))
                continue
            good = self._one(statement, statement, head.format(line=line), rest)
            if self.stopped:
                return 0
            if not good and self.given.stops:
                return 3
        return 0

    def whole(self, text: str, stdin: str) -> int:
        """What one -c says: a command of psql, or statements that stand and fall together."""
        if text.lstrip().startswith("\\"):
            return int(not self._meta(text.strip(), ""))
        connection = self.client.connection
        parts = [piece for _, piece, _ in _pieces(text)]
        alone = len(parts) == 1
        before = connection.data
        for part in parts:
            if not self._one(part.rstrip(";"), text, "", stdin):
                if not alone and not self.stopped:
                    connection.keep(before)
                    connection.before, connection.aborted = None, False
                return int(not self.stopped)
        return 0

    def _meta(self, text: str, head: str) -> bool:
        try:
            shown = command(self.client, text)
        except PostgresError as error:
            self.err += f"{head}{error}\n"
            return False
        self._notices(head)
        self.out += shown
        return True

    def _one(self, statement: str, asked: str, head: str, rest: str) -> bool:
        statement = statement.strip().rstrip(";").strip()
        if not statement:
            return True
        look = self.client.look
        gx = re.search(r"\s*\\g(x?)\s*$", statement)
        if gx is not None:
            statement, look = statement[: gx.start()], replace(look, expanded=bool(gx.group(1)))
        try:
            shown = self.client.copied(statement, rest)
            if shown is None:
                result = self.client.connection.execute(statement, asked)
                shown = _shown(result, look, self.client)
        except PostgresError as error:
            self._notices(head)
            self.err += f"{head}{error}\n"
            return False
        except Waits:
            self.session.endless, self.stopped = True, True
            wait_for(self.session, _WAITS_S)
            return False
        self._notices(head)
        self.out += shown
        if self.client.timing:
            self.out += "Time: 0.412 ms\n"
        return True

    def _notices(self, head: str) -> None:
        notices = self.client.connection.notices
        self.err += "".join(f"{head}{text}\n" for text in notices)
        notices.clear()


def _pieces(text: str) -> list[tuple[int, str, str]]:
    """Statements and commands of a script: line at which each ends, itself, and what follows it."""
    found: list[tuple[int, str, str]] = []
    present, line, place = "", 1, 0
    read_for(text)
    pattern = re.compile(
        r"'(?:[^']|'')*'?|\"[^\"]*\"?|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/|\\[^\n;]*|;|\n|[^'\"$\-/\\;\n]+|.",
        re.S,
    )
    while place < len(text):
        match = pattern.match(text, place)
        assert match is not None
        token, place = match.group(), match.end()
        if token.startswith("--") or token.startswith("/*"):
            continue
        if token.startswith("\\") and not present.strip():
            found.append((line, token.strip(), text[place:]))
            present = ""
            continue
        present += token if present.strip() or not token.isspace() else ""
        line += token.count("\n")
        if token == ";" or re.match(r"\\g", token):
            rest = text[place:].removeprefix("\n")
            allocate(len(rest))
            found.append((line, present.strip(), rest))
            if re.match(r"copy\b.*\bfrom\s+stdin\b", present.strip(), re.I | re.S):
                # What stands behind it is data, up to a line of its own.
                data, mark, _ = rest.partition("\n\\.\n")
                size = len(data) + len(mark) if mark else len(rest)
                skipped = text[place : place + size + 1]
                line, place = line + skipped.count("\n"), place + len(skipped)
            present = ""
    if present.strip():
        found.append((line, present.strip(), ""))
    return found


def _shown(result: Result, look: TableStyle, client: Client) -> str:
    quiet = client.given.quiet
    tag = ""
    if result.verb == "insert":
        tag = f"INSERT 0 {result.changed or len(result.rows)}"
    elif result.verb in ("update", "delete"):
        tag = f"{result.verb.upper()} {result.changed or len(result.rows)}"
    tag = tag or result.tag
    if not result.columns and result.verb == "select":
        return table(result, look)
    if not result.columns:
        tag = tag or _DONE.get(result.verb, result.verb.upper())
        return "" if quiet else f"{tag}\n"
    shown = table(result, look)
    return f"{shown}{tag}\n" if tag and not quiet else shown


def _server(session: Session, given: Options) -> tuple[Process, str]:
    """The server, and how the connection is called (empty where the server trusts its machine)."""
    host, port = given.host, given.port
    target = connect(session, host or "127.0.0.1", port, "postgres")
    ip = target.facts["ip"]
    shown = f'"{host}"' if ip == host else f'"{host}" ({ip})'
    place = f"connection to server at {shown}, port {port} failed: "
    if not host:
        socket = f"/var/run/postgresql/.s.PGSQL.{port}"
        place = f'connection to server on socket "{socket}" failed: '
    if target.kind == "dns":
        text = f'could not translate host name "{host}" to address: Name or service not known'
        raise PostgresError(text)
    if target.kind == "timeout":
        wait_for(session, None)
    if target.kind and target.kind != "protocol":
        words = WORDS.get(target.kind, "Connection refused")
        hint = "Is the server running on that host and accepting TCP/IP connections?"
        if not host:
            words = "No such file or directory"
            hint = "Is the server running locally and accepting connections on that socket?"
        raise PostgresError(f"{place}{words}\n\t{hint}")
    server = process_of(session.world, target.ref) if target.ref is not None else None
    if server is None or "sql.storage" not in server.settings:
        raise PostgresError(
            f"{place}server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request."
        )
    local = host in ("", "localhost", "127.0.0.1")
    return server, "" if local else place


def pg_isready(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `pg_isready`."""
    given = options(session, words)
    if isinstance(given, Output):
        return given
    host = given.host
    target = connect(session, host or "127.0.0.1", given.port, "postgres")
    name = f"{host or '/var/run/postgresql'}:{given.port}"
    quiet = given.quiet
    if target.kind == "":
        return Output(0, "" if quiet else f"{name} - accepting connections\n")
    if target.kind == "timeout":
        wait_for(session, 3.0)
    return Output(2, "" if quiet else f"{name} - no response\n")
