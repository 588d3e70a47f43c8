"""The page: self-contained, bounded, safe against what agents write, and honest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

from sregym_core.interfaces import RunPlan
from sregym_core.model import Check, EpisodeRecord, Outcome, StageRecord, TimelineEntry, Verdict
from sregym_reporter_html.bounds import bounded, shortened
from sregym_reporter_html.report import duration, event_text, render, split, word

MakeRecord = Callable[..., EpisodeRecord]
HOSTILE = (
    "\"'><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
)


class _Elements(HTMLParser):
    """What a browser would make of a page: elements with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_nothing_comes_from_elsewhere(plan: RunPlan, record: MakeRecord) -> None:
    page = render(plan, [record("e0001", "expert", Outcome.PASS)])
    assert re.findall(r"https?:|//[a-z]|@import|url\(", page) == []
    elements = _Elements(page)
    assert {"src", "href"} & {
        name for tag, attributes in elements.found for name in attributes if tag != "a"
    } == set()
    assert [link["href"] for link in elements.named("a")] == ["#e0001"]


def test_what_agents_write_is_text(plan: RunPlan, record: MakeRecord) -> None:
    harmless = _Elements(render(plan, [record("e0001", "someone", Outcome.FAIL)]))
    hostile = _Elements(render(plan, [record("e0001", "someone", Outcome.FAIL, HOSTILE)]))
    without_titles = [
        [(tag, {k: v for k, v in attributes.items() if k != "title"}) for tag, attributes in found]
        for found in (harmless.found, hostile.found)
    ]
    assert without_titles[0] == without_titles[1]
    assert [link["title"] for link in hostile.named("a")] == [HOSTILE]


def test_who_knows_the_answers_is_counted_apart(plan: RunPlan, record: MakeRecord) -> None:
    records = [
        record("e0001", "expert", Outcome.PASS),
        record("e0002", "someone", Outcome.FAIL),
        record("e0003", "someone", Outcome.ERROR),
    ]
    page = render(plan, records)
    sections = [attributes.get("aria-label") for attributes in _Elements(page).named("section")]
    assert sections == ["agents", "agents that know the answers"]
    measured, informed = page.split('aria-label="agents that know the answers"')
    cards = re.findall(r"<span>(\w+).*?<b>(.*?)</b>", measured, re.S)
    assert cards == [("someone", "0 / 1")]
    assert "0 diagnosed, 0 mitigated, 1 errors" in measured
    assert re.findall(r"<span>(\w+).*?<b>(.*?)</b>", informed.split("<h2>")[0], re.S) == [
        ("expert", "1 / 1")
    ]
    # Once in its card, once in the head of the table, once at its episode.
    assert page.count('<i class="mark">knows the answers</i>') == 3


def test_thirty_long_episodes_stay_small(plan: RunPlan, record: MakeRecord) -> None:
    records = [
        record(f"e{number:04}", "someone", Outcome.FAIL, "pods and more\n" * 2_000, calls=500)
        for number in range(30)
    ]
    page = render(plan, records)
    assert len(page.encode()) < 600_000
    assert page.count("480 more calls stand in episodes/") == 30
    assert page.count("471 more events") == 30


def test_a_record_within_bounds_is_whole(record: MakeRecord) -> None:
    whole = record("e0001", "someone", Outcome.PASS, "short", calls=3)
    episode = bounded(whole)
    assert [call.command for call in episode.calls] == ["short"] * 3
    assert [call.output for call in episode.calls] == ["short"] * 3
    assert (episode.calls_left_out, episode.entries_left_out) == (0, 0)
    assert episode.entries == whole.timeline


def test_what_is_cut_is_said() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdef", 4) == "abcd\N{HORIZONTAL ELLIPSIS} [2 more characters]"
    assert shortened("abc", 4, more=True) == "abc\N{HORIZONTAL ELLIPSIS} [more]"


def test_durations() -> None:
    assert [duration(value) for value in (None, 0.4, 59.4, 60.0, 200.0)] == [
        "-",
        "0 s",
        "59 s",
        "1 min 0 s",
        "3 min 20 s",
    ]


def test_events_of_other_versions_are_no_disaster() -> None:
    def text(event: str, **fields: object) -> str:
        return event_text(TimelineEntry(at_s=0.0, wall_s=0.0, event=event, fields=fields))

    assert text("ToolCalled", tool="kubectl", summary="get {pods}") == "kubectl: get {pods}"
    assert text("ToolCalled", tool="kubectl") == "kubectl:"
    assert text("Recovered", exact=True, difference="") == "recovered exactly"
    assert text("Recovered", exact=False, difference="pod") == "not recovered: pod"
    assert text("NewInTheFuture", anything=1) == "NewInTheFuture"


def test_the_mode_is_told(plan: RunPlan, record: MakeRecord) -> None:
    watching = replace(plan, mode="proactive", start_before_s=90.0)
    stopped = "the budget of 5 tool calls is used up"
    played = record("e0001", "someone", Outcome.FAIL).model_copy(
        update={"false_alarms": 3, "stopped": stopped}
    )
    page = render(watching, [played])
    assert "mode <b>proactive</b> (broken within 1 min 30 s)" in page
    assert "3 false alarms" in page
    assert f"The agent was stopped: {stopped}" in page
    assert "mode <b>standard</b>, seeds" in render(plan, [])


def test_events_of_watching() -> None:
    def told(event: str, **fields: object) -> str:
        return event_text(TimelineEntry(at_s=0.0, wall_s=0.0, event=event, fields=fields))

    assert [
        told("WatchReported", false_alarm=True),
        told("WatchReported", false_alarm=False),
        told("AlertsAwaited", alerts=5, waited_s=105.0),
        told("Waiting", phase="waiting", waiting_for=["a: Pending", "b: Pending"]),
    ] == [
        "false alarm",
        "the agent says that all is well",
        "5 alerts fired after 105.0 s",
        "waiting: a: Pending; b: Pending",
    ]


def test_the_table_tells_both_stages_apart(record: MakeRecord) -> None:
    good, bad = (
        StageRecord(text="", verdict=Verdict(outcome=one, checks=()))
        for one in (Outcome.PASS, Outcome.FAIL)
    )
    played = record("e0001", "someone", Outcome.FAIL)
    assert [
        split(played.model_copy(update={"diagnosis": one, "mitigation": other}))
        for one, other in ((good, bad), (bad, None), (None, None))
    ] == ["pass/fail", "fail/-", "fail"]
    assert split(record("e0001", "someone", Outcome.ERROR)) == "error"


def test_a_no_that_the_score_could_bear_is_called_tolerated() -> None:
    checks = [
        Check(name="a", outcome=outcome, expected=expected, got=got)
        for outcome, expected, got in (
            (Outcome.PASS, "yes, or 0.70 without", "no"),
            (Outcome.PASS, "yes", "yes"),
            (Outcome.FAIL, "yes", "no"),
        )
    ]
    assert [word(check) for check in checks] == ["tolerated", "pass", "fail"]


def test_noise_has_a_table_of_its_own(plan: RunPlan, record: MakeRecord) -> None:
    quiet, noisy = (
        record("e0001", "someone", Outcome.PASS),
        record("e0002", "someone", Outcome.FAIL),
    )
    assert 'id="doses"' not in render(plan, [quiet])
    noisy = noisy.model_copy(update={"noise_level": 2, "noise_blamed": ("zombies",)})
    page = render(plan, [quiet, noisy, noisy])
    rows = re.findall(r"<tr>(.*?)</tr>", page.split('id="doses"')[1].split("</table>")[0], re.S)
    cells = [re.findall(r"<td.*?>(.*?)<", row) for row in rows[1:]]
    assert cells == [
        ["someone", "0", "1 / 1", "100 %", "21 to 100 %", "\N{EN DASH}"],
        ["someone", "2", "0 / 2", "0 %", "0 to 66 %", "zombies (2 times)"],
    ]
