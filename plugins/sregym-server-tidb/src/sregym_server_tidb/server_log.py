"""Lines as all servers of a TiDB cluster write them: PingCAP's unified log format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sregym_apps.model import Line
from sregym_cluster_embedded.sdk.servers import write_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import LogRecord, Process, World

# What stands without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9_.:/@*+-]+")
Said = tuple[str, str, str, dict[str, str]]


def line(record: LogRecord) -> str:
    """`[2024/05/23 10:42:07.119 +00:00] [INFO] [server.go:260] ["..."] [addr=0.0.0.0:4000]`."""
    when = record.when
    moment = f"{when:%Y/%m/%d %H:%M:%S}.{when.microsecond // 1000:03d} +00:00"
    level = record.line.level.upper()
    head = f"[{moment}] [{level}] [{record.line.caller or '<unknown>'}] [{_shown(record.text)}]"
    return head + "".join(f" [{name}={_shown(value)}]" for name, value in record.fields.items())


def _shown(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def tell(world: World, process: Process, lines: Sequence[Said]) -> None:
    """Let a server write lines now: level, place in its source, text, fields."""
    program = process.behaviour
    if program is None:
        return
    written = [
        Line.model_validate(
            {
                "text": _literal(text),
                "level": level,
                "caller": caller,
                "fields": {name: _literal(value) for name, value in fields.items()},
            }
        )
        for level, caller, text, fields in lines
    ]
    write_log(world, process.ref, program, written)


def _literal(text: str) -> str:
    return text.replace("${", "$ {")
