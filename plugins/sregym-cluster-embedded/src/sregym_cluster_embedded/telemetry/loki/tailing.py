"""What a tail tells: the newest lines of the past, then all that is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_logql.engine import Engine
from sregym_logql.response_json import logs_data

from sregym_cluster_embedded.telemetry.loki.error_messages import BadRequest
from sregym_cluster_embedded.telemetry.loki.parameters import limit_of, moment_of, now_ns
from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World

_NS = 1_000_000_000
_HOUR_NS = 3600 * _NS
_MOST_DELAY_S = 5
# More lines at once than anybody reads.
_MOST_LINES = 5000


class Tail:
    """One client that follows lines.

    Args:
        world: The cluster at the moment when it begins.
        request: `query`, `start`, `limit`, `delay_for`.

    Raises:
        BadRequest: A parameter cannot be read, or the query asks for numbers.
        LogqlError: The query cannot be read.
    """

    def __init__(self, world: World, request: Request) -> None:
        self._query = request.parameter("query")
        self._without = request.without
        if not Engine(WorldLogs(world)).is_logs(self._query):
            message = "only log selector is supported"
            raise BadRequest(message)
        now = now_ns(world)
        self._from_ns = moment_of(request, "start", now - _HOUR_NS)
        self._limit: int | None = limit_of(request)
        self._delay_ns = _delay_s(request) * _NS

    def more(self, world: World) -> list[dict[str, Any]]:
        """The streams with what came since the last call, oldest lines first."""
        end_ns = now_ns(world) - self._delay_ns
        if end_ns <= self._from_ns:
            return []
        engine = Engine(WorldLogs(world, self._without), now_ns=now_ns(world))
        # Of the past only so many lines, the newest, as for a query; then every line.
        first, self._limit = self._limit, None
        forward = first is None
        most = _MOST_LINES if first is None else first
        found = engine.logs(self._query, self._from_ns, end_ns, most, forward=forward)
        self._from_ns = end_ns
        streams: list[dict[str, Any]] = logs_data(found)["result"]
        for stream in streams:
            stream["values"].sort(key=lambda value: int(value[0]))
        return streams


def _delay_s(request: Request) -> int:
    text = request.parameter("delay_for", "0")
    if not re.fullmatch(r"\d+", text, re.ASCII):
        message = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise BadRequest(message)
    if int(text) > _MOST_DELAY_S:
        message = f"delay_for can't be greater than {_MOST_DELAY_S}"
        raise BadRequest(message)
    return int(text)
