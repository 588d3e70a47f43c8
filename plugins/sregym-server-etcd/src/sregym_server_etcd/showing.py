"""How `etcdctl` writes what a server answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_server_etcd.data import EtcdData
    from sregym_server_etcd.member import Member


def header(member: Member, data: EtcdData) -> dict[str, int]:
    """What stands at the head of each answer."""
    return {
        "cluster_id": member.cluster,
        "member_id": member.number,
        "revision": data.revision,
        "raft_term": data.term,
    }


def framed(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with lines around its cells."""
    widths = [max(len(row[place]) for row in (names, *rows)) for place in range(len(names))]
    line = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    head = "|".join(_centred(name, width + 2) for name, width in zip(names, widths, strict=True))
    written = (
        "|"
        + "|".join(f" {cell:>{width}} " for cell, width in zip(row, widths, strict=True))
        + "|\n"
        for row in rows
    )
    return f"{line}|{head}|\n{line}{''.join(written)}{line}"


def _centred(text: str, width: int) -> str:
    """With the larger half of the space behind the text."""
    before = (width - len(text)) // 2
    return " " * before + text + " " * (width - len(text) - before)


def humanised(size: int) -> str:
    """Bytes as people read them: `20 kB`, `1.5 MB`."""
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 and unit != "B" else f"{value:.0f} {unit}"
