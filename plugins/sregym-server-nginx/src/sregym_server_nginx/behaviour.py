"""nginx as a process: it reads its configuration, opens its ports, answers, and reads it again."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    FileError,
    Files,
    Kind,
    LogLine,
    Process,
    TableKey,
    WebAnswer,
    WebRequest,
    append,
    certificates,
    change,
    end,
    listener_at,
    machine,
    open_port,
    pages,
    serve,
    throttled_duration_s,
)

from sregym_server_nginx.client import is_asked
from sregym_server_nginx.configuration import MAIN_FILE
from sregym_server_nginx.loading import Loaded, load
from sregym_server_nginx.placing import server_for
from sregym_server_nginx.request_handling import Answering
from sregym_server_nginx.server_log import error_line, note_error
from sregym_server_nginx.tokens import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sregym_cluster_embedded.sdk.servers import Certificate, ContainerRef, Runtime, World

    from sregym_server_nginx.program import NginxProgram

# By container life: the configuration in force.
LOADED: TableKey[ContainerRef, Loaded] = TableKey("userland.nginx")
_TEMPORARY = ("client_temp", "proxy_temp", "fastcgi_temp", "uwsgi_temp", "scgi_temp")
_PID_FILE = "/run/nginx.pid"
_NUMBERS = {"Permission denied": 13, "Read-only file system": 30, "No space left on device": 28}
# How many numbers of processes others take while the workers change.
_BETWEEN = 9
_STOPS_IN_S = 0.03
_REQUEST = re.compile(r"([A-Z]+) (\S+)(?: HTTP/1\.[01])?\r?\n", re.IGNORECASE)
_HOST = re.compile(r"^host:[ \t]*([^\s:]+)", re.IGNORECASE | re.MULTILINE)


class NginxKind(Kind):
    """nginx, behind the entry point of its official image or started by itself."""

    ends_on = (2, 3, 15)

    def is_query(self, words: list[str]) -> bool:
        """Its executable tests a configuration, tells its version and sends signals, too."""
        return is_asked(words)

    def begin(self, world: World, process: Process, program: NginxProgram) -> None:
        """Plan to read the configuration."""
        seconds = throttled_duration_s(process, program.starts_in_s)
        world.after(seconds, "userland.event", process.ref, "open")

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Read the configuration and open the ports, or end with what is wrong."""
        runtime: Runtime = world.service(RUNTIME)
        files = runtime.files(world, process)
        try:
            loaded = load(world, files.container.pod, files, path_of(process))
            _warn_of_user(world, process, files, loaded)
            _make_folders(files)
            _check_ports(world, process, loaded)
        except ConfigurationError as error:
            self._give_up(world, process, str(error))
            return
        world.table(LOADED)[process.ref] = loaded
        for port, secure in loaded.ports:
            if not open_port(world, process.ref, port, _listener(port, secure=secure)):
                return
        _greet(world, process, files, loaded, program)
        serve(world, process.ref)

    def protocol_of(self, program: NginxProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "http"

    def web(
        self, world: World, process: Process, program: NginxProgram, method: str, path: str
    ) -> WebAnswer | None:
        """The answer to a request of which no more is known."""
        port = process.ports[0][0] if process.ports else 80
        return self.respond(world, process, program, WebRequest(method, path, process.config.pod_ip, port))  # fmt: skip

    def respond(
        self, world: World, process: Process, program: NginxProgram, request: WebRequest
    ) -> WebAnswer | None:
        """The answer to a request by the configuration in force."""
        loaded: Loaded | None = world.table(LOADED).get(process.ref)
        if loaded is None:
            return None
        runtime: Runtime = world.service(RUNTIME)
        files = runtime.files(world, process)
        answering = Answering(world, process, files, version_of(process, program), loaded)
        answer = answering.answer(request)
        world.table(LOADED)[process.ref] = loaded._replace(requests=loaded.requests + 1)
        return answer

    def certificate(
        self, world: World, process: Process, listener: str, host: str
    ) -> Certificate | None:
        """The certificate in the file that the server of a host names."""
        loaded: Loaded | None = world.table(LOADED).get(process.ref)
        if loaded is None or not listener.startswith("https:"):
            return None
        port = int(listener.partition(":")[2])
        server = server_for(loaded, WebRequest("GET", "/", host, port))
        given = (server.block.first("ssl_certificate") if server is not None else None) or loaded.http.first("ssl_certificate")  # fmt: skip
        runtime: Runtime = world.service(RUNTIME)
        text = runtime.files(world, process).read(given.words[0]) if given is not None else None
        return certificates.read(text or "")

    def talk(self, world: World, process: Process, program: NginxProgram, text: str) -> str:
        """A request that was typed by hand."""
        asked, named = _REQUEST.match(text), _HOST.search(text)
        if asked is None:
            signature = f"nginx/{version_of(process, program)}"
            body = pages.page(400, signature)
            return f"HTTP/1.1 400 Bad Request\r\nServer: {signature}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"  # fmt: skip
        port = process.ports[0][0] if process.ports else 80
        host = named[1] if named is not None else ""
        request = WebRequest(asked[1].upper(), asked[2], host, port)
        answer = self.respond(world, process, program, request)
        if answer is None:
            return ""
        head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers or ())
        reason = pages.REASONS.get(answer.status, "")
        return f"HTTP/1.1 {answer.status} {reason}\r\n{head}\r\n{answer.body}"

    def hang_up(self, world: World, process: Process, program: NginxProgram, sender: int) -> None:
        """Read the configuration again; one that is wrong leaves the old in force."""
        runtime: Runtime = world.service(RUNTIME)
        files = runtime.files(world, process)
        before: Loaded | None = world.table(LOADED).get(process.ref)
        if before is None:
            return
        stack = [before.tree]
        message = f"signal 1 (SIGHUP) received from {sender}, reconfiguring"
        for text in (message, "reconfiguring"):
            note_error(world, process, files, stack, "notice", text, 1)
        try:
            loaded = load(world, files.container.pod, files, path_of(process))
            _check_ports(world, process, loaded)
        except ConfigurationError as error:
            note_error(world, process, files, stack, "emerg", str(error), 1)
            return
        first = before.worker + _workers(files, before) + _BETWEEN
        loaded = loaded._replace(requests=before.requests, worker=first)
        world.table(LOADED)[process.ref] = loaded
        change(world, process.ref, ports=())
        for port, secure in loaded.ports:
            if not open_port(world, process.ref, port, _listener(port, secure=secure)):
                return
        _greet(world, process, files, loaded, None)
        for text in ("gracefully shutting down", "exiting", "exit"):
            note_error(world, process, files, stack, "notice", text, before.worker)

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """SIGQUIT, by which its image is stopped: the workers finish what they have begun."""
        runtime: Runtime = world.service(RUNTIME)
        files = runtime.files(world, process)
        loaded: Loaded | None = world.table(LOADED).get(process.ref)
        stack = [loaded.tree] if loaded is not None else []
        worker = loaded.worker if loaded is not None else 1
        for number, text in (
            (1, "signal 3 (SIGQUIT) received, shutting down"),
            (worker, "gracefully shutting down"), (worker, "exiting"), (worker, "exit"),
            (1, f"signal 17 (SIGCHLD) received from {worker}"),
            (1, f"worker process {worker} exited with code 0"), (1, "exit"),
        ):  # fmt: skip
            note_error(world, process, files, stack, "notice", text, number)
        return _STOPS_IN_S

    def _give_up(self, world: World, process: Process, text: str) -> None:
        both = (error_line(world, "emerg", 1, text), f"nginx: [emerg] {text}")
        append(world, process.ref, [LogLine(world.now, "stderr", line) for line in both])
        end(world, process.ref, 1)


def _listener(port: int, *, secure: bool) -> str:
    return f"{'https' if secure else 'http'}:{port}"


def version_of(process: Process, program: NginxProgram) -> str:
    """As the image names it, or as the model does."""
    return process.environment.get("NGINX_VERSION", str(program.version))


def path_of(process: Process) -> str:
    """The file that nginx was told to read."""
    argv = process.argv
    at = argv.index("-c") if "-c" in argv else -1
    return argv[at + 1] if 0 <= at < len(argv) - 1 else MAIN_FILE


def _warn_of_user(world: World, process: Process, files: Files, loaded: Loaded) -> None:
    """A user other than root cannot become another user."""
    user = loaded.tree.first("user")
    if user is None or files.container.credentials.uid == 0:
        return
    text = (
        'the "user" directive makes sense only if the master process runs with super-user '
        f"privileges, ignored in {user.place}"
    )
    both = (error_line(world, "warn", 1, text), f"nginx: [warn] {text}")
    append(world, process.ref, [LogLine(world.now, "stderr", line) for line in both])


def _make_folders(files: Files) -> None:
    """Folders for what does not fit into memory, and the file with its number.

    Raises:
        ConfigurationError: The file system does not let it.
    """
    for name in _TEMPORARY:
        path = f"/var/cache/nginx/{name}"
        if not files.is_folder(path):
            _try(partial(files.make_folder, path, parents=True), f'mkdir() "{path}"')
    _try(partial(files.write, _PID_FILE, "1\n"), f'open() "{_PID_FILE}"')


def _try(act: Callable[[], None], what: str) -> None:
    try:
        act()
    except FileError as error:
        number = _NUMBERS.get(error.words, 2)
        raise ConfigurationError(f"{what} failed ({number}: {error.words})") from None


def _check_ports(world: World, process: Process, loaded: Loaded) -> None:
    for port, _ in loaded.ports:
        other = listener_at(world, process.ref.pod_uid, port)
        if other is not None and other[0].ref != process.ref:
            text = f"bind() to 0.0.0.0:{port} failed (98: Address already in use)"
            raise ConfigurationError(text)


def _greet(
    world: World, process: Process, files: Files, loaded: Loaded, program: NginxProgram | None
) -> None:
    """What it writes when it begins to serve."""
    texts = ['using the "epoll" event method']
    if program is not None:
        texts += [
            f"nginx/{version_of(process, program)}",
            "built by gcc 12.2.0 (Debian 12.2.0-14+deb12u1) ",
            f"OS: Linux {machine.kernel(files.container)}",
            "getrlimit(RLIMIT_NOFILE): 1048576:1048576",
        ]
    texts += ["start worker processes"]
    texts += [
        f"start worker process {loaded.worker + number}"
        for number in range(_workers(files, loaded))
    ]
    for text in texts:
        note_error(world, process, files, [loaded.tree], "notice", text, 1)


def _workers(files: Files, loaded: Loaded) -> int:
    given = loaded.tree.first("worker_processes")
    count = given.words[0] if given is not None else "1"
    return int(count) if count.isdecimal() else machine.cpus(files.container)
