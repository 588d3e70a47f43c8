"""What a scrape target answers to a request by hand: the text format of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sregym_promql.formats import number_text

from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.view import view_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.telemetry.metrics.exposition import (
        Exporter,
        Pairs,
        Target,
        Value,
    )
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.world import World


def exposed(world: World, url: str) -> str | None:
    """The samples at an address (`https://10.77.0.2:10250/metrics`) now; None when none is there."""
    view, now = view_of(world), world.now
    lines: list[str] = []
    there = False
    for exporter in catalogue_of(world).exporters:
        for target in exporter.targets(view):
            if target.url == url and target.since <= now < target.until:
                there = True
                lines.extend(_said(view, exporter, target))
    return "".join(f"{line}\n" for line in lines) if there else None


def _said(view: View, exporter: Exporter, target: Target) -> Iterator[str]:
    now = view.world.now
    for family in exporter.families:
        samples = [
            f"{name}{_braced(row.labels)} {number_text(_at(row.value, now))}"
            for name in family.samples
            for part in exporter.parts(view, target, name)
            if part.since <= now <= part.until
            for row in part.rows()
            if row.since <= now < row.until
        ]
        if samples:
            yield f"# HELP {family.name} {family.help}"
            yield f"# TYPE {family.name} {family.type}"
            yield from samples


def _braced(labels: Pairs) -> str:
    inner = ",".join(f'{name}="{escaped(value)}"' for name, value in labels)
    return f"{{{inner}}}" if inner else ""


def _at(value: Value, now: float) -> float:
    return float(value(np.array([now]))[0]) if callable(value) else float(value)


def escaped(text: str) -> str:
    """A label's value as the format writes it between quotes."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
