"""mysql, mariadb and mysqladmin, with their output for scripts (not a terminal)."""

from __future__ import annotations

from sregym_cluster_embedded.userland.process import Process, process_of
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.sockets import connect, wait_for
from sregym_cluster_embedded.userland.sql.engine import Result, statements_of
from sregym_cluster_embedded.userland.sql.mysql_server import MysqlConnection, MysqlError

_ERRNO = {"refused": 111, "timeout": 110, "no_route": 113, "unreachable": 101, "reset": 104}
# Options that have a value.
_VALUED = "uhpPeDS"
_INSECURE = "mysql: [Warning] Using a password on the command line interface can be insecure.\n"


def _mysql(session: Session, words: list[str], stdin: str) -> Output:
    given, operands = _options(words)
    user = given.get("u") or ("root" if session.rights.uid == 0 else "mysql")
    password = given.get("p", session.environment.get("MYSQL_PWD", ""))
    warning = _INSECURE if given.get("p") and words[0] != "mariadb" else ""
    if words[0] == "mysqladmin":
        warning = warning.replace("mysql:", "mysqladmin:")
    try:
        server, host = _server(session, given)
        connection = MysqlConnection(session.world, server, user, password, host)
        if given.get("D") or (operands and words[0] != "mysqladmin"):
            connection.use(given.get("D") or operands[0])
    except MysqlError as error:
        text = f"ERROR {error.number} ({error.state}): {error}\n"
        if words[0] == "mysqladmin":
            text = f"mysqladmin: connect to server at '{given.get('h', 'localhost')}' failed\nerror: '{error}'\n"
        return Output(1, "", warning + text)
    if words[0] == "mysqladmin":
        return _admin(session, connection, operands, warning)
    out = ""
    for number, statement in enumerate(statements_of(given.get("e", stdin)), start=1):
        try:
            result = connection.execute(statement)
        except MysqlError as error:
            line = 1 if "e" in given else number
            text = f"ERROR {error.number} ({error.state}) at line {line}: {error}\n"
            return Output(1, out, warning + text)
        out += _shown(result, given)
    return Output(0, out, warning)


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    long = {"user": "u", "password": "p", "host": "h", "port": "P", "execute": "e", "database": "D", "table": "t",
            "skip-column-names": "N", "batch": "B", "silent": "s", "socket": "S", "protocol": "~", "force": "f"}  # fmt: skip
    given: dict[str, str] = {}
    operands, index = [], 1
    while index < len(words):
        word = words[index]
        index += 1
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = long.get(name, name)
            if not equals and letter in "uhPeDS" and letter and index < len(words):
                value, index = words[index], index + 1
            given[letter] = value
        elif word.startswith("-") and len(word) > 1:
            letters = word[1:]
            at = next((n for n, letter in enumerate(letters) if letter in _VALUED), len(letters))
            given.update(dict.fromkeys(letters[:at], ""))
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


def _server(session: Session, given: dict[str, str]) -> tuple[Process, str]:
    host = given.get("h", "localhost")
    port = int(given["P"]) if given.get("P", "").isdecimal() else 3306
    target = connect(session, host, port, "mysql")
    if target.kind == "dns":
        raise MysqlError(2005, "HY000", f"Unknown MySQL server host '{host}' (-2)")
    if target.kind == "timeout":
        wait_for(session, None)
    if target.kind and target.kind != "protocol":
        if host == "localhost":
            message = "Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)"
            raise MysqlError(2002, "HY000", message)
        number = _ERRNO.get(target.kind, 111)
        raise MysqlError(
            2003, "HY000", f"Can't connect to MySQL server on '{host}:{port}' ({number})"
        )
    server = process_of(session.world, target.ref) if target.ref is not None else None
    if server is None or "sql.storage" not in server.settings:
        message = "Lost connection to MySQL server at 'reading initial communication packet', system error: 104"
        raise MysqlError(2013, "HY000", message)
    local = host in ("localhost", "127.0.0.1")
    return server, "localhost" if local else session.process.config.pod_ip


def _admin(
    session: Session, connection: MysqlConnection, operands: list[str], warning: str
) -> Output:
    what = operands[0] if operands else ""
    if what == "ping":
        return Output(0, "mysqld is alive\n", warning)
    if what == "status":
        uptime = int(session.world.now - connection.server.started_at)
        return Output(
            0,
            f"Uptime: {uptime}  Threads: 2  Questions: 6  Slow queries: 0  Opens: 119  Flush tables: 3  Open tables: 38  Queries per second avg: 0.033\n",
            warning,
        )
    if what == "processlist":
        return Output(0, _shown(connection.execute("SHOW PROCESSLIST"), {"t": ""}), warning)
    return Output(1, "", f"{warning}mysqladmin: Unknown command: '{what}'\n")


def _shown(result: Result, given: dict[str, str]) -> str:
    if not result.columns:
        return ""
    rows = [["NULL" if value is None else str(value) for value in row] for row in result.rows]
    if not rows:
        return ""
    if "t" not in given:
        lines = (
            rows if "N" in given or "skip-column-names" in given else [list(result.columns), *rows]
        )
        return "".join("\t".join(line) + "\n" for line in lines)
    table = [list(result.columns), *rows]
    wide = [max(len(line[n]) for line in table) for n in range(len(result.columns))]
    rule = "+" + "+".join("-" * (width + 2) for width in wide) + "+\n"
    numeric = [
        all(isinstance(row[n], int | float) for row in result.rows) for n in range(len(wide))
    ]

    def line_of(line: list[str], *, head: bool) -> str:
        cells = (
            f" {cell:>{width}} " if number and not head else f" {cell:<{width}} "
            for cell, width, number in zip(line, wide, numeric, strict=True)
        )
        return "|" + "|".join(cells) + "|\n"

    return (
        rule
        + line_of(table[0], head=True)
        + rule
        + "".join(line_of(r, head=False) for r in rows)
        + rule
    )


MYSQL_COMMANDS: dict[str, Command] = {"mysql": _mysql, "mariadb": _mysql, "mysqladmin": _mysql}
