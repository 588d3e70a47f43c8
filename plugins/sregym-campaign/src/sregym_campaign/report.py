"""One self-contained HTML file for a campaign: nothing in it comes from elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from sregym_kubernetes.tool_classes import tool_class
from sregym_runs.noise_scores import scores_by_noise_level

from sregym_campaign.charts import Point, curves, scatter_chart
from sregym_campaign.tries import SETTLED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.api import EpisodeRecord
    from sregym_core.model import TimelineEntry, ToolCall

    from sregym_campaign.content import Content
    from sregym_statistics import EpisodeFacts

# A page that holds whole transcripts cannot be sent to anybody; the records hold them.
OUTPUT_CAP = 600
TEXT_CAP = 1_500
CALLS_CAP = 60
FIGURES = ("diagnosis", "mitigation", "e2e")


def render(content: Content, figures: dict[str, Any]) -> str:
    """The report as text.

    Args:
        content: What the records hold.
        figures: What `sregym_statistics.summarise` says of it.
    """
    environment = Environment(
        loader=PackageLoader("sregym_campaign", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        share=share, figure=figure, interval=interval, probability=probability, shade=heat_class
    )
    agents = _ordered(figures["agents"], content)
    return environment.get_template("report.html").render(
        content=content,
        figures=figures,
        agents=agents,
        baselines=set(content.plan.baselines if content.plan is not None else ()),
        names=list(agents),
        versions=sorted(content.plan.plugins.items()) if content.plan is not None else [],
        suites=sorted({suite for one in content.facts for suite in one.problem.suites}),
        curves=[
            curves({name: mine["curves"][key] for name, mine in agents.items()}, title)
            for key, title in (
                ("ttd_s", "Time to diagnosis (TTD)"),
                ("ttm_s", "Time to mitigation (TTM)"),
            )
        ],
        evidence=scatter_chart(
            (
                Point(mine["evidence"]["value"], mine["over_problems"]["e2e"]["value"], name)
                for name, mine in agents.items()
                if mine["evidence"]["value"] is not None
                and mine["over_problems"]["e2e"]["value"] is not None
            ),
            "Success against evidence",
            "share of root causes seen before the diagnosis",
            "end-to-end",
        ),
        # By the names of the campaign: one adapter may play under several.
        doses=scores_by_noise_level(
            [record.model_copy(update={"agent": facts.agent}) for facts, record in content.episodes]
        ),
        apart=[one for one in content.tries if one.kind not in SETTLED],
        episodes=[_row(facts) for facts in content.facts],
        data=_data(content.episodes),
    )


def share(estimate: dict[str, Any]) -> str:
    """A rate in percent."""
    return "\N{EN DASH}" if estimate["value"] is None else f"{estimate['value']:.0%}"


def interval(estimate: dict[str, Any], percent: bool = True) -> str:
    """The interval of an estimate; empty without one."""
    low, high = estimate["low"], estimate["high"]
    if low is None or high is None:
        return ""
    return f"{low:.0%} to {high:.0%}" if percent else f"{figure(low)} to {figure(high)}"


def figure(value: float | None) -> str:
    """A number for people; a dash for none."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def probability(value: float | None) -> str:
    """A p value."""
    if value is None:
        return "\N{EN DASH}"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def heat_class(cell: dict[str, int] | None) -> str:
    """Class of a cell of the heat map: 0 to 10, by the share of solved episodes."""
    if not cell or not cell["graded"]:
        return "none"
    return f"h{round(10 * cell['solved'] / cell['graded'])}"


def _ordered(agents: dict[str, Any], content: Content) -> dict[str, Any]:
    """Agents by their rate; who knows the answers first, scripts that know nothing last."""
    baselines = content.plan.baselines if content.plan is not None else ()

    def place(name: str) -> tuple[int, float, str]:
        mine = agents[name]
        group = 0 if mine["informed"] else 2 if name in baselines else 1
        return group, -(mine["over_problems"]["e2e"]["value"] or 0.0), name

    return {name: agents[name] for name in sorted(agents, key=place)}


def _row(facts: EpisodeFacts) -> dict[str, Any]:
    return {
        "episode": facts.episode,
        "problem": facts.problem.id,
        "agent": facts.agent,
        "mode": facts.mode,
        "noise": facts.noise,
        "seed": facts.seed,
        "attempt": facts.attempt,
        "outcome": str(facts.outcome),
        "diagnosis": facts.diagnosis,
        "mitigation": facts.mitigation,
        "ttd_s": facts.ttd_s,
        "ttm_s": facts.ttm_s,
        "tokens": facts.tokens,
        "cost": facts.cost,
        "steps": facts.steps,
        "evidence": facts.conduct.evidence,
        "failures": [str(kind) for kind in facts.conduct.failures],
    }


def _data(episodes: Iterable[tuple[EpisodeFacts, EpisodeRecord]]) -> Markup:
    """What scripts of the page show of an episode, as JSON that no markup can end."""
    told = {facts.episode: _episode(record) for facts, record in episodes}
    text = json.dumps(told, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - no sign of markup is left in it


def _episode(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "reason": _cut(record.reason, TEXT_CAP),
        "stopped": _cut(record.stopped, TEXT_CAP),
        "diagnosis": _cut(record.diagnosis.text, TEXT_CAP) if record.diagnosis else "",
        "calls": [_call(call) for call in record.transcript[:CALLS_CAP]],
        "calls_left_out": max(0, len(record.transcript) - CALLS_CAP),
        "events": [
            {"at": entry.at_s, "event": entry.event, "text": _cut(_fields(entry), 300)}
            for entry in record.timeline
            if entry.event not in ("ToolCalled", "Waiting")
        ],
        # Where the harness looked at users' requests: 1.0 when all of them succeed.
        "health": [
            [entry.at_s, rate]
            for entry in record.timeline
            if isinstance(rate := entry.fields.get("success_rate"), int | float)
        ],
    }


def _call(call: ToolCall) -> dict[str, Any]:
    command = call.arguments.get("command")
    text = str(command) if command is not None else json.dumps(dict(call.arguments), default=str)
    return {
        "at": call.at_s,
        "class": "submit" if call.tool == "submit" else str(tool_class(call)),
        "tool": call.tool,
        "text": _cut(text, TEXT_CAP),
        "output": _cut(call.output, OUTPUT_CAP),
        "said": _cut(call.said, TEXT_CAP),
        "ok": call.ok,
        "tokens": None if call.tokens is None else call.tokens.total,
    }


def _fields(entry: TimelineEntry) -> str:
    return ", ".join(f"{name}: {value}" for name, value in entry.fields.items())


def _cut(text: str, cap: int) -> str:
    if len(text) <= cap:
        return text
    return f"{text[:cap]}\N{HORIZONTAL ELLIPSIS} [{len(text) - cap} more characters]"
