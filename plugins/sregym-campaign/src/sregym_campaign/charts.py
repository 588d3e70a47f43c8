"""Charts of a report as SVG: nothing in them comes from elsewhere, and they print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDTH, HEIGHT, EDGE = 520, 260, 44
# Distinguishable also by who sees no red or green (after Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f98", "#a05195")


@dataclass(frozen=True)
class Point:
    """A place in a chart.

    Attributes:
        x: On the axis to the right.
        y: On the axis upwards, 0 to 1.
        text: What it stands for.
    """

    x: float
    y: float
    text: str


def curves(lines: Mapping[str, Sequence[Sequence[float]]], title: str) -> Markup:
    """Shares that rise with time: one stepped line for each name.

    Args:
        lines: By name, pairs of seconds and share.
        title: Of the chart.
    """
    most = max((points[-1][0] for points in lines.values() if points), default=1.0) or 1.0
    parts = [_frame("seconds on the episode's clock", "share of graded episodes", most)]
    for number, (name, points) in enumerate(lines.items()):
        steps, share = [f"M{_x(0, most):.1f} {_y(0):.1f}"], 0.0
        for at_s, reached in points:
            steps.append(f"L{_x(at_s, most):.1f} {_y(share):.1f}")
            steps.append(f"L{_x(at_s, most):.1f} {_y(reached):.1f}")
            share = reached
        steps.append(f"L{_x(most, most):.1f} {_y(share):.1f}")
        path = Markup(
            '<path d="{}" fill="none" stroke="{}" stroke-width="2"><title>{}</title></path>'
        )
        parts.append(path.format(" ".join(steps), colour(number), name))
    return _svg(title, parts, list(lines))


def scatter_chart(points: Iterable[Point], title: str, across: str, up: str) -> Markup:
    """Points with names, both axes from 0 to 1."""
    found = list(points)
    parts = [_frame(across, up, 1.0)]
    for number, point in enumerate(found):
        dot = Markup(
            '<circle cx="{:.1f}" cy="{:.1f}" r="6" fill="{}" fill-opacity="0.8"><title>{}: {:.2f}, {:.2f}</title></circle>'
        )
        parts.append(
            dot.format(_x(point.x, 1), _y(point.y), colour(number), point.text, point.x, point.y)
        )
    return _svg(title, parts, [point.text for point in found])


def colour(number: int) -> str:
    """Of the series with this number."""
    return COLOURS[number % len(COLOURS)]


def _x(value: float, most: float) -> float:
    return EDGE + value / most * (WIDTH - EDGE - 12)


def _y(share: float) -> float:
    return HEIGHT - EDGE - share * (HEIGHT - EDGE - 12)


def _frame(across: str, up: str, most: float) -> Markup:
    lines = [
        Markup(
            '<line x1="{a:.1f}" y1="{y:.1f}" x2="{b:.1f}" y2="{y:.1f}" class="grid"/>'
            '<text x="{t:.1f}" y="{ty:.1f}" text-anchor="end">{label:.0%}</text>'
        ).format(a=EDGE, b=WIDTH - 12, y=_y(share), t=EDGE - 6, ty=_y(share) + 4, label=share)
        for share in (0, 0.25, 0.5, 0.75, 1.0)
    ]
    lines += [
        Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{:.3g}</text>').format(
            _x(part * most, most), HEIGHT - EDGE + 16, part * most
        )
        for part in (0, 0.5, 1)
    ]
    lines.append(
        Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
            WIDTH / 2, HEIGHT - 10, across
        )
    )
    lines.append(
        Markup(
            '<text transform="translate(11 {}) rotate(-90)" text-anchor="middle">{}</text>'
        ).format(HEIGHT / 2 - 16, up)
    )
    return Markup("").join(lines)


def _svg(title: str, parts: Iterable[Markup], names: Sequence[str]) -> Markup:
    legend = Markup("").join(
        Markup('<span><i style="background:{}"></i>{}</span>').format(colour(number), name)
        for number, name in enumerate(names)
    )
    return Markup(
        '<figure><figcaption>{}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
        '<div class="legend">{}</div></figure>'
    ).format(title, WIDTH, HEIGHT, escape(title), Markup("").join(parts), legend)
