"""The Lua script that wrk2 runs on a real cluster, run here by LuaJIT against a stand-in for wrk2."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_app_deathstarbench.media_microservices import MediaMicroservices
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_apps.workload import parse_rounds, summarise
from sregym_core.interfaces import OperationTraffic

lupa = pytest.importorskip("lupa.luajit21", reason="pip install lupa")

THREADS = 20
WRK = """
package.preload.socket = function()
  local now = 0
  return {gettime = function() now = now + 0.004; return now end}
end
os.time = function() return 1795298400 end
os.date = function(format) return "2026-11-21T22:00:10Z" end
wrk = {format = function(method, path) return method .. " " .. path end}
printed = ""
function print(text) printed = printed .. text .. "\\n" end
"""
THREAD = """
function(get, set)
  return {get = function(_, key) return get(key) end, set = function(_, key, value) set(key, value) end}
end
"""


class Wrk2:
    """Calls the functions of the script as wrk2 does: one Lua state a thread, and one for all."""

    def __init__(self, script: str, requests: str = "") -> None:
        self.main = self._state(script, requests)
        self.threads = [self._state(script, requests) for _ in range(THREADS)]
        make = self.main.eval(THREAD)
        for thread in self.threads:
            names = thread.globals()
            self.main.globals().setup(make(names.__getitem__, names.__setitem__))
            names.init(None)
        self.threads[0].globals().request()  # to parse it

    def answer(self, number: int, status: int | None) -> str:
        """Send the request number `number` and answer it, or leave it open."""
        thread = self.threads[number % THREADS].globals()
        request: str = thread.request()
        if status is not None:
            thread.response(status, None, "")
        return request

    def report(self) -> str:
        """What `done` prints."""
        self.main.globals().done(None, None, None)
        return str(self.main.globals().printed)

    @staticmethod
    def _state(script: str, requests: str) -> Any:
        state = lupa.LuaRuntime()
        state.execute(WRK)
        state.globals().written = requests
        state.execute("function dofile(path) return assert(loadstring(written))() end")
        state.execute(script)
        return state


@pytest.fixture
def wrk2(objects: dict[tuple[str, str], dict[str, Any]]) -> Wrk2:
    return Wrk2(objects["ConfigMap", "hotel-load"]["data"]["mix.lua"])


def test_the_mix_has_the_promised_shares(wrk2: Wrk2) -> None:
    sent = [wrk2.answer(number, 200) for number in range(4000)]
    shares = {
        path: sum(request.startswith(f"GET /{path}?") for request in sent) / 4000
        for path in ("hotels", "recommendations", "user", "reservation")
    }

    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["hotels"] == pytest.approx(0.6, abs=0.05)
    assert shares["recommendations"] == pytest.approx(0.39, abs=0.05)
    assert 0 < shares["user"] < 0.02
    assert 0 < shares["reservation"] < 0.02


def test_weights_come_from_the_environment(
    objects: dict[tuple[str, str], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEIGHT_HOTELS", "0")
    monkeypatch.setenv("WEIGHT_USER", "39")
    wrk2 = Wrk2(objects["ConfigMap", "hotel-load"]["data"]["mix.lua"])
    sent = [wrk2.answer(number, 200).partition("?")[0] for number in range(4000)]
    assert sent.count("GET /hotels") == 0
    assert sent.count("GET /user") / 4000 == pytest.approx(39 / 78.5, abs=0.05)


def test_what_it_prints_is_what_the_toolkit_reads(wrk2: Wrk2) -> None:
    statuses = {number: 500 if number % 10 == 3 else 200 for number in range(980)}
    sent = [wrk2.answer(number, status) for number, status in statuses.items()]
    # The last request of each thread is open when the round ends; one was lost before.
    lost = wrk2.answer(980, None)
    open_ = [wrk2.answer(number, None) for number in range(981, 981 + THREADS)]
    lines = parse_rounds(wrk2.report())
    expected = {}
    for path in ("hotels", "recommendations", "user", "reservation"):
        mine = [n for n, request in enumerate(sent) if request.startswith(f"GET /{path}?")]
        requests = len(mine) + lost.startswith(f"GET /{path}?")
        expected[path] = OperationTraffic(requests, sum(statuses[n] == 200 for n in mine))

    traffic = summarise(lines, now=lines[0].at, seconds=10, round_s=10)
    assert len(open_) == THREADS
    assert traffic.operations == expected
    assert traffic.requests == 981
    assert traffic.p99_ms == 4.0


def test_requests_of_social_network(monkeypatch: pytest.MonkeyPatch) -> None:
    (texts,) = [
        obj["data"]
        for obj in SocialNetwork().manifests()
        if (obj["kind"], obj["metadata"]["name"]) == ("ConfigMap", "social-load")
    ]
    wrk2 = Wrk2(texts["mix.lua"], texts["requests.lua"])
    sent = [wrk2.answer(number, 200).partition("?")[0] for number in range(4000)]
    shares = {path: sent.count(path) / 4000 for path in sorted(set(sent))}
    rounds = {line.operation: line.ok for line in parse_rounds(wrk2.report())}

    assert shares == {
        "GET /wrk2-api/home-timeline/read": pytest.approx(0.6, abs=0.05),
        "GET /wrk2-api/user-timeline/read": pytest.approx(0.3, abs=0.05),
        "POST /wrk2-api/post/compose": pytest.approx(0.1, abs=0.03),
    }
    assert rounds == {
        "home-timeline": sent.count("GET /wrk2-api/home-timeline/read"),
        "user-timeline": sent.count("GET /wrk2-api/user-timeline/read"),
        "compose-post": sent.count("POST /wrk2-api/post/compose"),
    }

    monkeypatch.setenv("WEIGHT_HOME_TIMELINE", "0")
    other = Wrk2(texts["mix.lua"], texts["requests.lua"])
    assert all("home-timeline" not in other.answer(number, 200) for number in range(500))


def test_requests_of_media_microservices() -> None:
    (texts,) = [
        obj["data"]
        for obj in MediaMicroservices().manifests()
        if (obj["kind"], obj["metadata"]["name"]) == ("ConfigMap", "media-load")
    ]
    wrk2 = Wrk2(texts["mix.lua"], texts["requests.lua"])
    sent = [wrk2.answer(number, 200) for number in range(4000)]
    rounds = {line.operation: line.requests for line in parse_rounds(wrk2.report())}

    assert sent.count("POST /wrk2-api/review/compose") / 4000 == pytest.approx(0.9, abs=0.03)
    assert rounds == {
        "compose-review": sent.count("POST /wrk2-api/review/compose"),
        "register-user": sent.count("POST /wrk2-api/user/register"),
        "register-movie": sent.count("POST /wrk2-api/movie/register"),
        "write-movie-info": sent.count("POST /wrk2-api/movie-info/write"),
        "write-cast-info": sent.count("POST /wrk2-api/cast-info/write"),
        "write-plot": sent.count("POST /wrk2-api/plot/write"),
    }
