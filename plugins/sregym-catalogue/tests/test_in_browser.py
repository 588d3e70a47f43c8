"""The pages in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sregym_catalogue.content import Entry
from sregym_testing.browser import browse, needs_browser

Site = Callable[..., Path]
Make = Callable[..., Entry]

pytestmark = needs_browser


def _seen(tmp_path: Path, address: str) -> str:
    return browse(tmp_path / "profile", address)


def _shown(page: str) -> list[str]:
    return re.findall(r'<tr data-id="(\w+)"(?![^>]*hidden)', page)


def test_the_address_filters(site: Site, entry: Make, tmp_path: Path) -> None:
    index = site(
        entry("k1", "shop", ["lite", "hard"]),
        entry("k2", "bank", ["lite"]),
        entry("n3", "shop", ["harder"]),
    )
    everything = _seen(tmp_path, index.as_uri())
    assert _shown(everything) == ["k1", "k2", "n3"]
    assert '<output id="shown">3 of 3</output>' in everything
    assert _shown(_seen(tmp_path, f"{index.as_uri()}#application=shop&suite=hard")) == ["k1"]
    assert _shown(_seen(tmp_path, f"{index.as_uri()}#layer=network")) == ["n3"]
    assert _shown(_seen(tmp_path, f"{index.as_uri()}#mode=gray")) == ["k2"]
    assert _shown(_seen(tmp_path, f"{index.as_uri()}#text=K")) == ["k1", "k2"]


def test_columns_sort_numbers_as_numbers(site: Site, entry: Make, tmp_path: Path) -> None:
    index = site(entry("k" * 12, "shop"), entry("kk", "shop"), entry("k" * 7, "shop"))
    acting = index.with_name("acting.html")
    click = "<script>document.querySelectorAll('#problems th button')[4].click()</script></body>"
    text = index.read_text(encoding="utf-8").replace("</body>", click)
    acting.write_text(text, encoding="utf-8")
    assert [len(name) for name in _shown(_seen(tmp_path, acting.as_uri()))] == [2, 7, 12]


def test_no_markup_of_an_instruction_runs(site: Site, entry: Make, tmp_path: Path) -> None:
    hostile = "<script>document.title='owned'</script>"
    index = site(entry("k1", "shop", text=hostile))
    page = index.parent / "problems" / "k1.html"
    assert re.findall(r"<title>(.*?)</title>", _seen(tmp_path, page.as_uri())) == ["k1 · SREGym"]


def _measured(index: Path, tmp_path: Path, expression: str, width: int) -> list[str]:
    """What an expression of JavaScript comes to on a page in a window of some width."""
    script = f"<script>document.title = {expression}</script></body>"
    measuring = index.with_name("measuring.html")
    text = index.read_text(encoding="utf-8").replace("</body>", script)
    measuring.write_text(text, encoding="utf-8")
    page = browse(tmp_path / "profile", measuring.as_uri(), f"--window-size={width},900")
    return re.findall(r"<title>(.*?)</title>", page)


def test_a_narrow_window_is_not_wider_than_it_is(site: Site, entry: Make, tmp_path: Path) -> None:
    index = site(entry("k1", "a-long-name-" * 9), entry("k2", "b", ["s" * 80]))
    outside = (
        "[...document.querySelectorAll('form, label, select')]"
        ".filter(one => one.getBoundingClientRect().right > innerWidth).length"
    )
    assert _measured(index, tmp_path, outside, 500) == ["0"]


def test_several_applications_of_one_problem_stand_below_each_other(
    site: Site, entry: Make, tmp_path: Path
) -> None:
    index = site(entry("k1", "+".join(["a-long-name"] * 20)))
    table = "document.getElementById('problems')"
    beyond = f"{table}.offsetWidth - {table}.parentElement.clientWidth"
    assert _measured(index, tmp_path, beyond, 1300) == ["0"]
