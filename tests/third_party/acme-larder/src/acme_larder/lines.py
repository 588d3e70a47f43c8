"""Larder's lines of log: `1767258061234 INFO text key=value`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import LogRecord


def line(record: LogRecord) -> str:
    """A line as Larder writes it."""
    fields = "".join(f" {name}={value}" for name, value in record.fields.items())
    millis = round((record.world.epoch + record.at) * 1000)
    return f"{millis} {record.line.level.upper()} {record.text}{fields}"
