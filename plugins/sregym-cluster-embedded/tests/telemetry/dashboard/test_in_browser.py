"""The page in a real browser."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.observability import ObservabilityEndpoint
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.telemetry.dashboard.routes import answer
from sregym_cluster_embedded.world import World
from sregym_testing.browser import browse, browser_command, needs_browser

# Waits until the page has shown its first answers.
AT_ONCE = "--virtual-time-budget=5000"

pytestmark = needs_browser


@pytest.fixture
def page(broken: World) -> Iterator[str]:
    live = LiveWorld(broken, Stepped(request_cost_s=0.0))
    endpoint = ObservabilityEndpoint(live, answer)
    endpoint.start()
    yield endpoint.url
    endpoint.close()


def _browse(profile: Path, address: str, *words: str, size: str = "1300,1500") -> str:
    return browse(profile, address, AT_ONCE, f"--window-size={size}", *words)


def test_it_says_at_a_glance_what_is_wrong(page: str, tmp_path: Path) -> None:
    seen = _browse(tmp_path / "profile", page, "--dump-dom")
    assert re.findall(r"<title>(.*?)</title>", seen)[0] == "● 100 % of user requests fail"
    assert re.findall(r'<section id="headline"[^>]* class="(\w+)"', seen) == ["failing"]
    nodes = re.findall(r'<g class="node (\w+)"[^>]*aria-label="(shop/\w+):', seen)
    assert nodes == [
        ("failing", "shop/load"),
        ("healthy", "shop/price"),
        ("unknown", "shop/stock"),  # its Service is deleted
        ("failing", "shop/web"),
    ]
    # Where failures arise is for those who asked for what is broken.
    assert re.findall(r'<section id="origins-card"[^>]*( hidden="")', seen) == [' hidden=""']
    assert "web → stock:" not in seen
    # One chart for each golden signal, and nobody is told what he may not know.
    assert re.findall(r"<figcaption><b>(\w+)</b>", seen) == [
        "Requests",
        "Failed",
        "Latency",
        "Saturation",
    ]
    assert re.findall(r'<section id="truth"[^>]*( hidden="")', seen) == [' hidden=""']


@pytest.mark.parametrize(
    ("size", "theme"),
    [
        ("1300,1500", "light"),
        ("500,1500", "dark"),
        pytest.param("1300,1500", "dark", marks=pytest.mark.thorough),
        pytest.param("500,1500", "light", marks=pytest.mark.thorough),
    ],
)
def test_a_screenshot_shows_something(page: str, tmp_path: Path, size: str, theme: str) -> None:
    picture = tmp_path / "page.png"
    address = f"{page}/?theme={theme}&workload=shop/web"
    _browse(tmp_path / "profile", address, f"--screenshot={picture}", size=size)
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    # An empty page compresses to a few kilobytes.
    assert len(content) > 50_000


class Tab:
    """A page that is open in a browser, and a person at the keyboard."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def do(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            answer = await self._socket.receive_json(timeout=30)
            if answer.get("id") == self._number:
                # There is none while a page is being left for another.
                return answer.get("result", {"result": {}})

    async def value(self, expression: str) -> Any:
        given = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await self.do("Runtime.evaluate", **given))["result"].get("value")

    async def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        given = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        await self.do("Input.dispatchKeyEvent", type="rawKeyDown", **given)
        await self.do("Input.dispatchKeyEvent", type="keyUp", **given)

    async def until(self, expression: str) -> None:
        async with asyncio.timeout(30):
            while not await self.value(expression):
                await asyncio.sleep(0.05)


async def _with_keys(browser: subprocess.Popen[str], page: str) -> dict[str, Any]:
    assert browser.stderr is not None
    while not (found := re.search(r"ws://([\d.]+:\d+)/", line := browser.stderr.readline())):
        assert line, "the browser ended"
    seen: dict[str, Any] = {}
    async with aiohttp.ClientSession() as client:
        async with client.put(f"http://{found.group(1)}/json/new?{page}") as answer:
            address = (await answer.json(content_type=None))["webSocketDebuggerUrl"]
        async with client.ws_connect(address) as socket:
            tab = Tab(socket)
            await tab.until("document.querySelectorAll('.node[role=button]').length === 4")
            steps = 0
            while await tab.value("document.activeElement.dataset.id") != "shop/web":
                await tab.press("Tab")
                steps += 1
                assert steps < 30
            await tab.press("Enter")
            await tab.until("document.getElementById('signals-of').textContent === 'of shop/web'")
            seen["pods"] = await tab.value(
                "[...document.querySelectorAll('#pods td button')].map(b => b.textContent)"
            )
            await tab.until("document.getElementById('logs').textContent.includes('no such host')")
            # The graph was drawn anew meanwhile: whoever was there still is.
            seen["focus"] = await tab.value("document.activeElement.dataset.id")
            seen["pressed"] = await tab.value("document.activeElement.ariaPressed")
            await tab.press("Escape")
            await tab.until("document.querySelectorAll('#pods td button').length === 5")
            seen["width"] = await tab.value(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
    return seen


def test_it_can_be_used_with_a_keyboard_on_a_phone(page: str, tmp_path: Path) -> None:
    words = ("--remote-debugging-port=0", "--window-size=500,900", "about:blank")
    command = browser_command(tmp_path, *words)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as browser:
        try:
            seen = asyncio.run(_with_keys(browser, page))
        finally:
            browser.terminate()
    assert [name.partition("-")[0] for name in seen.pop("pods")] == ["web"]
    assert seen == {"focus": "shop/web", "pressed": "true", "width": True}
