"""mysql, mariadb and mysqladmin, with their output for scripts (not a terminal)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, Session, connect, wait_for
from sregym_cluster_embedded.sdk.servers import Process, process_of

from sregym_server_sql.engine import read_for
from sregym_server_sql.mysql_limits import require_connection_slot
from sregym_server_sql.mysql_server import MysqlConnection, MysqlError
from sregym_server_sql.psql_tables import text_of
from sregym_server_sql.select_columns import is_number
from sregym_server_sql.sessions import server_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_server_sql.engine import Result

_ERRNO = {"refused": 111, "timeout": 110, "no_route": 113, "unreachable": 101, "reset": 104}
# Options that have a value.
_VALUED = "uhpPeDS"
_LONG = {
    "user": "u", "password": "p", "host": "h", "port": "P", "execute": "e", "database": "D", "table": "t",
    "skip-column-names": "N", "batch": "B", "silent": "s", "socket": "S", "protocol": "~", "force": "f",
    "vertical": "E", "verbose": "v", "raw": "r", "connect-timeout": "~", "ssl-mode": "~", "version": "V",
    "default-character-set": "~", "no-auto-rehash": "A", "unbuffered": "q", "no-defaults": "~",
    "defaults-extra-file": "~", "defaults-file": "~", "connect_timeout": "~", "column-names": "~",
    "wait": "w", "sleep": "i", "count": "c", "html": "H", "xml": "X", "get-server-public-key": "~",
    "enable-cleartext-plugin": "~", "skip-ssl": "~", "ssl": "~", "local-infile": "~", "compress": "C",
}  # fmt: skip
_INSECURE = "mysql: [Warning] Using a password on the command line interface can be insecure.\n"
_STARS = "*" * 27


def mysql(session: Session, words: list[str], stdin: str) -> Output:
    """The commands `mysql`, `mariadb` and `mysqladmin`."""
    name = words[0].rpartition("/")[2]
    parsed = _options(words)
    if isinstance(parsed, str):
        return Output(2, "", f"{name}: [ERROR] unknown option '{parsed}'.\n")
    given, operands = parsed
    if "V" in given:
        version = session.process.settings.get("sql.version", "8.0.39")
        return Output(
            0, f"{name}  Ver {version} for Linux on x86_64 (MySQL Community Server - GPL)\n"
        )
    user = given.get("u") or ("root" if session.rights.uid == 0 else "mysql")
    password = given.get("p", session.environment.get("MYSQL_PWD", ""))
    warning = (
        _INSECURE.replace("mysql:", f"{name}:") if given.get("p") and name != "mariadb" else ""
    )
    try:
        server, host = _server(session, given)
        connection = MysqlConnection(session.world, server, user, password, host)
        require_connection_slot(session.world, server, user)
        if given.get("D") or (operands and name != "mysqladmin"):
            connection.use(given.get("D") or operands[0])
    except MysqlError as error:
        if name == "mysqladmin":
            return _no_server(error, given, operands, warning)
        text = f"ERROR {error.number} ({error.state}): {error}\n"
        return Output(1, "", warning + text)
    if name == "mysqladmin":
        return _admin(session, connection, operands, warning)
    return _run(session, connection, given, stdin, warning)


def _run(
    session: Session, connection: MysqlConnection, given: dict[str, str], stdin: str, warning: str
) -> Output:
    out, err, code = "", warning, 0
    level = given.get("v", "")
    for piece in _pieces(given.get("e", stdin)):
        text = piece.text
        if level:
            out += f"--------------\n{text}\n--------------\n\n"
        try:
            result = connection.execute(text)
        except MysqlError as error:
            err += f"ERROR {error.number} ({error.state}) at line {piece.line}: {error}\n"
            code = 1
            if "f" not in given:
                break
            continue
        out += _shown(result, given, upright=piece.upright or "E" in given)
        if len(level) > 1:
            count = len(result.rows) if result.columns else result.changed
            word = "row" if count == 1 else "rows"
            message = (
                f"{count} {word} in set" if result.columns else f"Query OK, {count} {word} affected"
            )
            matched = f"\nRows matched: {count}  Changed: {count}  Warnings: 0"
            out += f"{message}{matched if result.verb == 'update' else ''}\n\n"
    if len(level) > 1:
        out += "Bye\n"
    if connection.before is not None:
        connection.execute("rollback")
    session.slept_s += connection.slept_s
    return Output(code, out, err)


def _options(words: list[str]) -> tuple[dict[str, str], list[str]] | str:
    """Letters with their values, and operands; or an option that there is not."""
    given: dict[str, str] = {}
    operands, index = [], 1
    while index < len(words):
        word = words[index]
        index += 1
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = _LONG.get(name, "")
            if not letter:
                return word
            if not equals and letter in "uhPeDS" and index < len(words):
                value, index = words[index], index + 1
            given[letter] = value
        elif word.startswith("-") and len(word) > 1:
            letters = word[1:]
            at = next((n for n, letter in enumerate(letters) if letter in _VALUED), len(letters))
            for letter in letters[:at]:
                given[letter] = given.get(letter, "") + letter
            if at == len(letters):
                continue
            # A password only counts behind its letter, any other value may be the next word.
            value = letters[at + 1 :]
            if not value and letters[at] != "p" and index < len(words):
                value, index = words[index], index + 1
            given[letters[at]] = value
        else:
            operands.append(word)
    return given, operands


@dataclass(frozen=True)
class _Piece:
    """A statement of a script, and how its rows are to be written."""

    text: str
    line: int
    upright: bool


_TOKEN = re.compile(r"'(?:[^'\\]|''|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?|`[^`]*`|--[ \t][^\n]*|#[^\n]*|/\*.*?\*/|\\[gG]|;|\n|.", re.S)  # fmt: skip


def _pieces(script: str) -> Iterator[_Piece]:
    present, line, began = "", 1, 1
    read_for(script)
    for token in _TOKEN.findall(script):
        if token.startswith(("-- ", "--\t", "#")):
            continue
        if token in (";", "\\g", "\\G"):
            if present.strip():
                yield _Piece(present.strip(), began, token == "\\G")
            present = ""
            continue
        if not present.strip() and not token.isspace():
            began = line
        present += token
        line += token.count("\n")
    if present.strip():
        yield _Piece(present.strip(), began, upright=False)


def _server(session: Session, given: dict[str, str]) -> tuple[Process, str]:
    host = given.get("h", "localhost")
    port = int(given["P"]) if given.get("P", "").isdecimal() else 3306
    target = connect(session, host, port, "mysql")
    if target.kind == "dns":
        raise MysqlError(2005, "HY000", f"Unknown MySQL server host '{host}' (-2)")
    if target.kind == "timeout":
        wait_for(session, None)
    socket = given.get("S", "/var/run/mysqld/mysqld.sock")
    known = socket in ("/var/run/mysqld/mysqld.sock", "/run/mysqld/mysqld.sock")
    if (target.kind and target.kind != "protocol") or (host == "localhost" and not known):
        if host == "localhost":
            message = f"Can't connect to local MySQL server through socket '{socket}' (2)"
            raise MysqlError(2002, "HY000", message)
        number = _ERRNO.get(target.kind, 111)
        text = f"Can't connect to MySQL server on '{host}:{port}' ({number})"
        raise MysqlError(2003, "HY000", text)
    server = process_of(session.world, target.ref) if target.ref is not None else None
    if server is None or "sql.storage" not in server.settings:
        message = "Lost connection to MySQL server at 'reading initial communication packet', system error: 104"
        raise MysqlError(2013, "HY000", message)
    # Servers of the official images do not look up names.
    local = host if host in ("localhost", "127.0.0.1") else session.process.config.pod_ip
    return server, local


def _no_server(
    error: MysqlError, given: dict[str, str], operands: list[str], warning: str
) -> Output:
    """What mysqladmin says when it is not let in: to `ping` that is an answer, too."""
    host = given.get("h", "localhost")
    text = f"mysqladmin: connect to server at '{host}' failed\nerror: '{error}'\n"
    if error.number in (2002, 2003):
        place = "that the socket: '/var/run/mysqld/mysqld.sock' exists!"
        if host != "localhost":
            place = f"that the port is {given.get('P') or 3306}.\nYou can check this by doing 'telnet {host} {given.get('P') or 3306}'"
        text += (
            f"Check that mysqld is running and {place}\n"
            if host == "localhost"
            else f"Check that mysqld is running on {host} and {place}\n"
        )
    alive = operands[:1] == ["ping"] and error.number == 1045
    return Output(0 if alive else 1, "", warning + text)


def _admin(
    session: Session, connection: MysqlConnection, operands: list[str], warning: str
) -> Output:
    what = operands[0] if operands else ""
    if what == "ping":
        return Output(0, "mysqld is alive\n", warning)
    figures = dict(server_status(session.world, connection.server))
    if what == "status":
        uptime = max(1, int(figures["Uptime"]))
        rate = f"{int(figures['Questions']) / uptime:.3f}"
        text = f"Uptime: {uptime}  Threads: {figures['Threads_connected']}  Questions: {figures['Questions']}  Slow queries: 0  Opens: 119  Flush tables: 3  Open tables: 38  Queries per second avg: {rate}\n"
        return Output(0, text, warning)
    shows = {"processlist": "SHOW PROCESSLIST", "variables": "SHOW GLOBAL VARIABLES", "extended-status": "SHOW GLOBAL STATUS"}  # fmt: skip
    if what in shows:
        return Output(0, _shown(connection.execute(shows[what]), {"t": ""}), warning)
    try:
        if what in ("flush-privileges", "reload", "refresh", "flush-hosts"):
            connection.execute("FLUSH PRIVILEGES")
            return Output(0, "", warning)
        if what in ("create", "drop") and len(operands) > 1:
            connection.execute(f"{what} DATABASE {operands[1]}")
            return Output(0, "", warning)
    except MysqlError as error:
        return Output(
            1, "", f"{warning}mysqladmin: {what.upper()} DATABASE failed; error: '{error}'\n"
        )
    return Output(1, "", f"{warning}mysqladmin: Unknown command: '{what}'\n")


def _shown(result: Result, given: dict[str, str], *, upright: bool = False) -> str:
    if not result.columns or not result.rows:
        return ""
    kinds = result.types or tuple("" for _ in result.columns)
    rows = [[text_of(v, k, "NULL") for v, k in zip(row, kinds, strict=True)] for row in result.rows]
    if upright:
        return _upright(result, rows)
    bare = "N" in given or "s" in given
    if "t" not in given:
        lines = rows if bare else [list(result.columns), *rows]
        return "".join("\t".join(map(_escaped, line)) + "\n" for line in lines)
    return _boxed(result, rows, kinds, bare="N" in given)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def _upright(result: Result, rows: list[list[str]]) -> str:
    wide = max(map(len, result.columns))
    out = ""
    for number, row in enumerate(rows, start=1):
        out += f"{_STARS} {number}. row {_STARS}\n"
        out += "".join(
            f"{name:>{wide}}: {cell}\n" for name, cell in zip(result.columns, row, strict=True)
        )
    return out


def _boxed(result: Result, rows: list[list[str]], kinds: tuple[str, ...], *, bare: bool) -> str:
    table = rows if bare else [list(result.columns), *rows]
    wide = [max(len(line[n]) for line in table) for n in range(len(result.columns))]
    rule = "+" + "+".join("-" * (width + 2) for width in wide) + "+\n"
    numeric = [
        is_number(kinds[n])
        if kinds[n]
        else all(isinstance(row[n], int | float) for row in result.rows)
        for n in range(len(wide))
    ]

    def line_of(line: list[str], *, head: bool) -> str:
        cells = (
            f" {cell:>{width}} " if number and not head else f" {cell:<{width}} "
            for cell, width, number in zip(line, wide, numeric, strict=True)
        )
        return "|" + "|".join(cells) + "|\n"

    head = "" if bare else line_of(table[0], head=True) + rule
    return rule + head + "".join(line_of(row, head=False) for row in rows) + rule
