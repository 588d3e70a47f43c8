"""The site: static files without anything from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sregym_leaderboard.submission import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_leaderboard.verification import Entry


def written(entries: Sequence[Entry], refused: Mapping[str, str], folder: Path) -> Path:
    """Write all pages; gives the index.

    Args:
        entries: All that could be opened; those with objections are listed, and not ranked.
        refused: By name of a file, why it could not.
        folder: Where to.
    """
    environment = Environment(
        loader=PackageLoader("sregym_leaderboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(share=_share, interval=_interval, figure=_figure)
    environment.filters["fingerprint"] = fingerprint
    (folder / "entries").mkdir(parents=True, exist_ok=True)
    ranked = sorted(
        (entry for entry in entries if not entry.objections),
        key=lambda entry: (-_rate(entry), entry.name),
    )
    index = folder / "index.html"
    page = environment.get_template("index.html").render(
        ranked=ranked,
        objected=[entry for entry in entries if entry.objections],
        refused=refused,
        floor=_baselines(ranked),
    )
    index.write_text(page, encoding="utf-8")
    single = environment.get_template("entry.html")
    for entry in entries:
        page = single.render(entry=entry, pins=_pins(entry))
        (folder / "entries" / f"{entry.name}.html").write_text(page, encoding="utf-8")
    return index


def _rate(entry: Entry) -> float:
    return float(entry.own["over_problems"]["e2e"]["value"] or 0.0)


def _baselines(entries: Sequence[Entry]) -> dict[str, list[float]]:
    """Rates of the scripts between which agents lie, in each entry that played them."""
    found: dict[str, list[float]] = {}
    for entry in entries:
        for name in entry.content.baselines:
            value = entry.figures["agents"].get(name, {}).get("over_problems", {}).get("e2e", {})
            if value.get("value") is not None:
                found.setdefault(name, []).append(value["value"])
    return found


def _pins(entry: Entry) -> str:
    return "\n".join(f"{name}=={version}" for name, version in entry.content.versions.items())


def _share(estimate: dict[str, Any]) -> str:
    return "\N{EN DASH}" if estimate["value"] is None else f"{estimate['value']:.1%}"


def _interval(estimate: dict[str, Any]) -> str:
    low, high = estimate["low"], estimate["high"]
    return "" if low is None or high is None else f"{low:.0%} to {high:.0%}"


def _figure(value: float | None) -> str:
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
