"""Where nginx writes: lines about requests and about errors, to the container's log or to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import FileError, LogLine, append, moment

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Files, Process, World

    from sregym_server_nginx.configuration import Directive

ERROR_LOG = "/var/log/nginx/error.log"
ACCESS_LOG = "/var/log/nginx/access.log"
COMBINED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent"'
)
_LEVELS = ("debug", "info", "notice", "warn", "error", "crit", "alert", "emerg")
# The image links its log files to the streams of the container.
_STREAMS = {"/dev/stdout": "stdout", "/dev/stderr": "stderr", ACCESS_LOG: "stdout", ERROR_LOG: "stderr"}  # fmt: skip


def error_line(world: World, level: str, number: int, text: str) -> str:
    """A line about an error; `number` is that of the process that writes it."""
    when = moment(world, world.now)
    return f"{when:%Y/%m/%d %H:%M:%S} [{level}] {number}#{number}: {text}"


def note(world: World, process: Process, files: Files, path: str, text: str) -> None:
    """Write a line to where a path leads."""
    stream = "stderr" if path == "stderr" else _STREAMS.get(path)
    if stream is not None:
        append(world, process.ref, [LogLine(world.now, stream, text)])
        return
    try:
        files.write(path, f"{files.read(path) or ''}{text}\n")
    except FileError:
        return


def error_log(stack: list[Directive]) -> tuple[str, str]:
    """Path and lowest level of the log of errors, of the innermost block that says."""
    for block in reversed(stack):
        entry = block.first("error_log")
        if entry is not None:
            level = entry.words[1] if len(entry.words) > 1 else "error"
            return entry.words[0], level
    return ERROR_LOG, "error"


def note_error(
    world: World, process: Process, files: Files, stack: list[Directive], level: str, text: str,
    number: int,
) -> None:  # fmt: skip
    """Write a line to the log of errors, if it is told as much."""
    path, lowest = error_log(stack)
    if lowest not in _LEVELS or _LEVELS.index(level) >= _LEVELS.index(lowest):
        note(world, process, files, path, error_line(world, level, number, text))
