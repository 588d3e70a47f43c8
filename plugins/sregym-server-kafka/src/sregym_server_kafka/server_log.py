"""Lines of a broker's log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import LogRecord


def line(record: LogRecord) -> str:
    """A line in the layout that brokers have without configuration: `[time] LEVEL text (logger)`."""
    stamp = f"{record.when:%Y-%m-%d %H:%M:%S},{record.when.microsecond // 1000:03d}"
    return f"[{stamp}] {record.line.level.upper()} {record.text} ({record.line.caller})"
