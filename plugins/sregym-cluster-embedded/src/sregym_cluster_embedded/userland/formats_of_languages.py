"""How the usual logging libraries of several languages write lines.

A `LogRecord` of `formats` goes in; field names in the records are those of the service model.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
# How .NET's console shortens levels.
_DOTNET = {"trace": "trce", "debug": "dbug", "info": "info", "warn": "warn", "error": "fail"}
_MONOLOG = {"warn": "WARNING", "fatal": "CRITICAL", "panic": "EMERGENCY", "trace": "DEBUG"}
_PYTHON = {"warn": "WARNING", "fatal": "CRITICAL", "panic": "CRITICAL", "trace": "DEBUG"}
# Fields of `python` lines that name no part of the message.
_TRACE = "trace_id=0 span_id=0"


def _value(text: str) -> Any:
    """A number or a document as such, anything else as text."""
    if text.isdecimal() and (text == "0" or text[0] != "0"):
        return int(text)
    return json.loads(text) if text.startswith("{") else text


def _slog(record: Any) -> str:
    when = record.when
    head = {"time": f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}Z"}
    level = {"level": record.line.level.upper(), "msg": record.text}
    more = {name: _value(value) for name, value in record.fields.items()}
    return _COMPACT.encode({**head, **level, **more})


def _pino(record: Any) -> str:
    when = record.when
    head = {"level": record.line.level, "time": int(when.timestamp() * 1000), "pid": 1}
    more = {name: _value(value) for name, value in record.fields.items()}
    return _COMPACT.encode({**head, **more, "msg": record.text})


def _dotnet(record: Any) -> str:
    level = _DOTNET.get(record.line.level, "crit")
    text = record.text.replace("\n", "\n      ")
    return f"{level}: {record.line.caller}[0]\n      {text}"


def _monolog(record: Any) -> str:
    when = record.when
    level = _MONOLOG.get(record.line.level, record.line.level.upper())
    stamp = f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}+00:00"
    more = {name: _value(value) for name, value in record.fields.items()}
    return f"[{stamp}] {record.line.caller}.{level}: {record.text} {_COMPACT.encode(more) if more else '[]'} []"


def _env_logger(record: Any) -> str:
    when = record.when
    return f"[{when:%Y-%m-%dT%H:%M:%S}Z {record.line.level.upper():<5} {record.line.caller}] {record.text}"


def _python(record: Any) -> str:
    when = record.when
    level = _PYTHON.get(record.line.level, record.line.level.upper())
    stamp = f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"
    service = record.fields.get("service", "")
    return (
        f"{stamp} {level} [main] [{record.line.caller}] "
        f"[{_TRACE} resource.service.name={service} trace_sampled=False] - {record.text}"
    )


FORMATS_OF_LANGUAGES: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "slog": _slog,
        "pino": _pino,
        "dotnet": _dotnet,
        "monolog": _monolog,
        "env-logger": _env_logger,
        "python": _python,
    }
)
