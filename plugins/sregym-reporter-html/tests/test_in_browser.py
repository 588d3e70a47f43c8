"""The page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.interfaces import RunPlan
from sregym_core.model import EpisodeRecord, Outcome
from sregym_reporter_html.report import HtmlReporter
from sregym_testing.browser import browse, needs_browser

pytestmark = needs_browser


@pytest.fixture
def page(plan: RunPlan, record: Callable[..., EpisodeRecord]) -> Path:
    hostile = (
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    )
    records = (
        record("e0001", "expert", Outcome.PASS),
        record("e0002", "someone", Outcome.FAIL, hostile),
        record("e0003", "someone", Outcome.ERROR),
    )
    return HtmlReporter().run_finished(plan, records)


def test_a_link_opens_its_episode_and_no_script_of_an_agent_runs(
    page: Path, tmp_path: Path
) -> None:
    seen = browse(tmp_path / "profile", f"{page.as_uri()}#e0002")
    assert re.findall(r'<details id="(\w+)"( open="")?>', seen) == [
        ("e0001", ""),
        ("e0002", ' open=""'),
        ("e0003", ""),
    ]
    assert re.findall(r"<title>(.*?)</title>", seen) == ["SREGym run: 1 problems, expert, someone"]


def test_a_screenshot_shows_something(page: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    browse(
        tmp_path / "profile", page.as_uri(), "--window-size=1200,1000", f"--screenshot={picture}"
    )
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    # An empty page compresses to a few kilobytes.
    assert len(content) > 20_000


def test_results_are_filtered_and_sorted(page: Path, tmp_path: Path) -> None:
    acting = page.with_name("acting.html")
    act = (
        "const filter = document.getElementById('filter'); filter.value = 'no such problem';"
        "filter.dispatchEvent(new Event('input'));"
        "document.querySelector('#results th button').click();"
    )
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{act}</script></body>")
    acting.write_text(text, encoding="utf-8")
    seen = browse(tmp_path / "profile", acting.as_uri())
    assert re.findall(r'<details id="(\w+)" hidden', seen) == ["e0001", "e0002", "e0003"]
    assert re.findall(r'<th aria-sort="(\w+)">', seen)[:2] == ["ascending", "none"]
