"""The `mongo` and `mongosh` commands: connect, log in, run statements, print."""

from __future__ import annotations

import json
import re
from typing import Any

from sregym_cluster_embedded.sdk.commands import Output, Session, Target, parse_address, reach
from sregym_cluster_embedded.sdk.replication import ONCE, led, server_preference
from sregym_cluster_embedded.sdk.servers import Process, process_of

from sregym_server_mongodb.arguments import KNOWN, arguments, evals
from sregym_server_mongodb.builds import build_of
from sregym_server_mongodb.connection import Connection
from sregym_server_mongodb.data import login_error
from sregym_server_mongodb.database import Database
from sregym_server_mongodb.encryption import handshake_error, secured
from sregym_server_mongodb.inspecting import inspected
from sregym_server_mongodb.javascript import Evaluator
from sregym_server_mongodb.printing import (
    Raw,
    echoed_value,
    one_line,
    stringified,
    tojson,
)
from sregym_server_mongodb.program import MongodbProgram
from sregym_server_mongodb.replication import Replication
from sregym_server_mongodb.script import UNDEFINED, ScriptError, parse_script
from sregym_server_mongodb.shell_errors import connect_error, modern, not_known
from sregym_server_mongodb.shell_handshake import disagreement, handshake_message
from sregym_server_mongodb.shell_methods import INVALID_INPUT
from sregym_server_mongodb.visits import Visit, note

# What the shell itself understands, with one more word.
_HELPED, _HELPED_WORDS = ("show", "use"), 2


def mongo(session: Session, words: list[str], stdin: str) -> Output:
    """The commands `mongo` and `mongosh`."""
    return Shell(session, words[0].rpartition("/")[2]).run(words, stdin)


class Shell:
    """One run of the shell.

    Args:
        session: The container it runs in.
        name: `mongo` or `mongosh`.
    """

    def __init__(self, session: Session, name: str) -> None:
        self.session = session
        self.name = name
        self.out = ""
        self.evals: list[str] = []
        self.present = ""

    def run(self, words: list[str], stdin: str) -> Output:
        """Connect and run what the arguments or standard input say."""
        given, operands = arguments(words)
        self.evals = evals(words)
        strange = next((name for name in given if name not in KNOWN), "")
        if strange:
            return Output(1, "", not_known(self.name, strange))
        if "version" in given:
            return Output(0, _about(self.name, self._version()))
        script_files = [word for word in operands if word.endswith(".js")]
        places = [word for word in operands if not word.endswith(".js")]
        url = places[0] if places else ""
        address = parse_address(url if "/" in url or ":" in url else "", 27017)
        database = (address.path.partition("?")[0].strip("/") if "/" in url else url) or "test"
        host = given.get("host") or address.host or "127.0.0.1"
        port = int(given.get("port") or address.port or 27017)
        if "/" in host or "replicaSet=" in url or "," in address.host:
            host, port = self._leader(url if address.host else host.rpartition("/")[2])
        if ":" in host:
            host, _, text = host.partition(":")
            port = int(text)
        quiet = "quiet" in given
        banner = self._banner(host, port, url if "/" in url else database if places else "")
        server, failure = self._server(host, port)
        if server is None:
            return self._unconnected("" if quiet else banner, failure)
        peer = self._peer(host)
        if refused := self._disagreement(server, given, url, host, port):
            return self._unconnected("" if quiet else banner, refused)
        connection = Connection(self.session.world, server, self._unguarded(server), peer)
        connection.modern = connection.secondary_ok = self.name == "mongosh"
        found = re.search(r"[?&]authSource=([^&]+)", url)
        authdb = given.get("authdb") or (found.group(1) if found else "")
        user = given.get("user") or address.user
        authdb = authdb or (database if places else "admin")
        password = given.get("password") or address.password
        error = (
            login_error(connection.account(authdb, user), authdb, user, password) if user else ""
        )
        if server.served_at is not None:
            visit = Visit(self.session.world.now, peer, self.name, user, authdb, error)
            note(self.session.world, server.ref, visit)
        if user and not connection.log_in(authdb, user, password):
            refused = self._failed("Authentication failed.")
            if self.name == "mongosh":
                refused = "MongoServerError: Authentication failed.\n"
            return self._unconnected("" if quiet else banner, refused)
        if not quiet:
            self.out += banner + self._greeting(connection)
        return self._work(connection, database, given, script_files, stdin, quiet)

    def _work(
        self,
        connection: Connection,
        database: str,
        given: dict[str, str],
        script_files: list[str],
        stdin: str,
        quiet: bool,
    ) -> Output:
        evaluator = Evaluator(self._globals(connection, database))
        try:
            for said in self.evals:
                self.present = said
                self._evaluate(evaluator, said, last=said is self.evals[-1])
            for name in script_files:
                text = self.session.files.read(self.session.path(name))
                if text is None:
                    return Output(
                        253, self.out, f"file [{name}] doesn't exist\nfailed to load: {name}\n"
                    )
                evaluator.run(parse_script(text))
        except ScriptError as error:
            if self.name == "mongosh":
                return Output(1, self.out, f"{modern(error, self.present)}\n")
            self.out += _uncaught(error, "(shell eval)") + "exiting with code -4\n"
            return Output(252, self.out)
        if not self.evals and not script_files:
            well = self._interactive(evaluator, stdin)
            if self.name == "mongosh":
                self.out += f"{evaluator.names['db'].name}> "
            else:
                self.out += "" if quiet else "bye\n"
            return Output(0 if well or self.name == "mongosh" else 1, self.out)
        return Output(0, self.out)

    def _evaluate(self, evaluator: Evaluator, text: str, *, last: bool) -> None:
        """Carry out what one --eval says; mongosh shows the value of the last one."""
        words = text.split()
        if self.name == "mongosh" and len(words) == _HELPED_WORDS and words[0] in _HELPED:
            self._helped(evaluator, words)
            return
        if last or self.name != "mongosh":
            self._run(evaluator, text)
        else:
            evaluator.run(parse_script(text))

    def _run(self, evaluator: Evaluator, text: str) -> None:
        result = evaluator.run(parse_script(text))  # which may write before its result is shown
        self.out += self._shown(result)

    def _helped(self, evaluator: Evaluator, words: list[str]) -> None:
        """What the shell itself understands: `use` and `show`."""
        database: Database = evaluator.names["db"]
        if words[0] == "use":
            evaluator.names["db"] = Database(database.connection, words[1])
            evaluator.names["rs"] = Replication(evaluator.names["db"])
            self.out += f"switched to db {words[1]}\n"
        else:
            self.out += self._show(database, words[1])

    def _shown(self, value: Any) -> str:
        return inspected(value) if self.name == "mongosh" else echoed_value(value)

    def _interactive(self, evaluator: Evaluator, stdin: str) -> bool:
        """Statement after statement, each with its result; whether the last one succeeded."""
        well, prompts = True, self.name == "mongosh"
        for text in _statements(stdin):
            well = True
            self.out += f"{evaluator.names['db'].name}> " if prompts else ""
            try:
                words = text.split()
                if words[0] in _HELPED and len(words) == _HELPED_WORDS:
                    self._helped(evaluator, words)
                elif words[0] in ("exit", "quit", "quit()"):
                    return True
                else:
                    self._run(evaluator, text)
            except ScriptError as error:
                well = False
                if self.name == "mongosh":
                    self.out += f"Uncaught \r{modern(error, text)}\n"
                else:
                    self.out += _uncaught(error, "(shell)")
        return well

    def _show(self, database: Database, what: str) -> str:
        if what in ("dbs", "databases"):
            return self._sizes(database.connection.database_sizes())
        if what in ("collections", "tables"):
            return "".join(f"{name}\n" for name in database.js_getCollectionNames())
        if what == "users":
            if self.name == "mongosh":
                return inspected(database.users())
            return "".join(f"{tojson(user)}\n" for user in database.users())
        if what == "roles":
            return ""
        raise ScriptError(f"don't know how to show [{what}]")

    def _sizes(self, sizes: list[tuple[str, float]]) -> str:
        wide = max(len(name) for name, _ in sizes)
        if self.name == "mongosh":
            cells = [(name, _size(size * 1024**3)) for name, size in sizes]
            right = max(len(cell) for _, cell in cells)
            return "".join(f"{name:<{wide}}  {cell:>{right}}\n" for name, cell in cells)
        return "".join(f"{name:<{wide}}  {size:.3f}GB\n" for name, size in sizes)

    def _globals(self, connection: Connection, database: str) -> dict[str, Any]:
        def write(*values: Any) -> Any:
            texts = (v if isinstance(v, str) else self._shown(v).rstrip("\n") for v in values)
            self.out += " ".join(texts) + "\n"
            return UNDEFINED

        def write_json(value: Any) -> Any:
            self.out += self._shown(value) if self.name == "mongosh" else f"{tojson(value)}\n"
            return UNDEFINED

        connection.say = write
        return {
            "db": Database(connection, database),
            "rs": Replication(Database(connection, database)),
            "version": self._version,
            "print": write,
            "printjson": write_json,
            "printjsononeline": lambda value: write(one_line(value)),
            "tojson": tojson,
            "ObjectId": lambda text="": Raw(f'ObjectId("{text or "0" * 24}")'),
            "NumberInt": int,
            "NumberLong": int,
            "Date": lambda *_: Raw(f'ISODate("{self.session.world.timestamp()}")'),
            "ISODate": lambda text="": Raw(f'ISODate("{text or self.session.world.timestamp()}")'),
            "_getEnv": lambda name: self.session.environment.get(name, ""),
            "process": {"env": dict(self.session.environment)},
            "sleep": lambda _: UNDEFINED,
            "quit": lambda *_: UNDEFINED,
            "JSON": {"stringify": lambda value, *_: stringified(value)},
            "Error": lambda message="": {"message": message},
            "use": lambda _: UNDEFINED,
        }

    def _leader(self, url: str) -> tuple[str, int]:
        """Host and port of the primary of a set, or of the first that was named."""
        world, own = self.session.world, self.session.process

        def at(place: str) -> tuple[Target, ...]:
            where = parse_address(place, 27017)
            return reach(world, own, where.host, where.port, "mongodb", where.host)

        end = led(world, server_preference(url, 27017), "primary", ONCE, at)[0]
        return end.facts["host"], int(end.facts["port"])

    def _server(self, host: str, port: int) -> tuple[Process | None, str]:
        own = self.session.process
        if self._unguarded(own) and host in ("127.0.0.1", "localhost"):
            return own, ""
        world = self.session.world
        target: Target = reach(world, own, host, port, "mongodb", host)[0]
        if target.kind == "" and target.ref is not None:
            return process_of(world, target.ref), ""
        where = f"{host}:{port}"
        if self.name == "mongosh":
            return None, connect_error(target.kind, host, port)
        head = f"couldn't connect to server {where}, connection attempt failed: "
        if target.kind == "dns":
            return None, self._failed(
                f"{head}HostNotFound: Could not find address for {where}: SocketException: "
                "Host not found (authoritative)"
            )
        cause = "Connection refused" if target.kind == "refused" else "Connection timed out"
        kind = "SocketException" if target.kind == "refused" else "NetworkTimeout"
        return None, self._failed(
            f"{head}{kind}: Error connecting to {where} :: caused by :: {cause}"
        )

    def _disagreement(
        self, server: Process, given: dict[str, str], url: str, host: str, port: int
    ) -> str:
        """What the shell says of a server with which it does not come to terms about TLS."""
        if self._unguarded(server):
            return ""
        found = disagreement(self.session, server, given, url, host)
        if found is None:
            return ""
        visit = Visit(self.session.world.now, self._peer(host), broken=handshake_error(found))
        note(self.session.world, server.ref, visit)
        offered = secured(server)
        names = () if offered is None else offered.certificate.names
        words = handshake_message(found, self.name, host, port, names)
        return words if self.name == "mongosh" else self._failed(words)

    def _peer(self, host: str) -> str:
        """The address from which the server sees the shell come."""
        local = host in ("127.0.0.1", "localhost")
        return "127.0.0.1" if local else self.session.process.config.pod_ip

    def _unguarded(self, server: Process) -> bool:
        """Whether this is the passing server that the image's entry point runs for init scripts."""
        return (
            server is self.session.process
            and "mongod.storage" in server.settings
            and server.served_at is None
        )

    def _failed(self, message: str) -> str:
        return (
            f"Error: {message} :\nconnect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\n"
            "exception: connect failed\nexiting with code 1\n"
        )

    def _unconnected(self, banner: str, failure: str) -> Output:
        """The old shell writes all that it has to say to its standard output."""
        if self.name == "mongosh":
            return Output(1, banner, failure)
        return Output(1, banner + failure)

    def _banner(self, host: str, port: int, url: str) -> str:
        if self.name == "mongosh":
            return ""
        version = self._version()
        place = f"mongodb://{host}:{port}/{url if '/' not in url else ''}"
        return (
            f"MongoDB shell version v{version}\nconnecting to: {place}"
            "?compressors=disabled&gssapiServiceName=mongodb\n"
        )

    def _greeting(self, connection: Connection) -> str:
        if self.name == "mongosh":
            return ""
        session = f'session {{ "id" : UUID("{connection.session_id()}") }}'
        return f"Implicit session: {session}\nMongoDB server version: {self._version()}\n"

    def _version(self) -> str:
        for program in self.session.runtime.known(self.session.process).programs.values():
            if isinstance(program, MongodbProgram):
                return program.version
        return "4.4.6"


def _statements(text: str) -> list[str]:
    """A script in statements: at line ends where no bracket or quote is open."""
    found, present, depth, quote = [], "", 0, ""
    for line in text.splitlines():
        for index, char in enumerate(line):
            if quote:
                if char == quote and line[index - 1 : index] != "\\":
                    quote = ""
            elif char in "'\"`":
                quote = char
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
        present += line + "\n"
        if depth <= 0 and not quote:
            if present.strip() and not present.strip().startswith("//"):
                found.append(present.strip())
            present, depth = "", 0
    if present.strip():
        found.append(present.strip())
    return found


def _size(size: float) -> str:
    """A size with the largest unit of which there is at least one."""
    for unit, power in (("GiB", 3), ("MiB", 2), ("KiB", 1)):
        if size >= 1024**power:
            return f"{size / 1024**power:.2f} {unit}"
    return f"{size:.0f} B"


def _uncaught(error: ScriptError, place: str) -> str:
    """An exception as the old shell tells it, with the frames that it came through."""
    message = error.message.removesuffix(" :")
    helper = "_getErrorWithCode@src/mongo/shell/utils.js:25:13\n" if error.code else ""
    name = "Error" if error.name == INVALID_INPUT else error.name
    head = f"{name}: " if name else ""
    frames = error.frames or helper
    return f"uncaught exception: {head}{message} :\n{frames}@{place}:1:{error.column}\n"


def _about(name: str, version: str) -> str:
    if name == "mongosh":
        return "2.5.8\n"
    build = build_of(version)
    return f"MongoDB shell version v{version}\nBuild Info: {json.dumps(build, indent=4)}\n"
