"""The public environment on a living world: resets, forks, bytes, figures."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from weakref import ref

import pytest
from sregym_core.api import Environment, Workspace, play, problems, solution, verify
from sregym_core.errors import UsageError
from sregym_core.model import Outcome
from sregym_core.settings import Settings
from sregym_runs import pair

PROBLEM = "wrong_service_selector_hotel_reservation"
LOOKS = (
    "get pods -n hotel-reservation -o wide",
    "get events -n hotel-reservation",
    "get svc,endpoints -n hotel-reservation -o yaml",
)


@pytest.fixture(scope="module")
def place() -> Iterator[Workspace]:
    with Workspace(Settings()) as workspace:
        yield workspace


def texts(env: Environment) -> list[str]:
    return [env.step("kubectl", command=line).text for line in LOOKS]


def test_the_same_seed_gives_the_same_bytes_again(place: Workspace) -> None:
    seen = []
    for _ in range(3):  # the first breaks a world, the others start from its checkpoint
        with Environment(PROBLEM, seed=7, workspace=place) as env:
            env.reset()
            seen.append(texts(env))
    assert seen[0] == seen[1] == seen[2]


def test_worlds_that_are_dropped_are_gone_at_once(place: Workspace) -> None:
    """Nothing of an episode waits for the garbage collector, which would take a tenth of its time."""
    env = Environment(PROBLEM, seed=7, recover=False, workspace=place)
    worlds: list[ref[object]] = []

    def played() -> None:
        env.reset()
        twin = env.fork()
        for one in (env, twin):
            one.step("query_metrics", query="sum(rate(container_cpu_usage_seconds_total[5m]))")
            one.step("search_traces", service="frontend")
            one.step("kubectl", command="get pods -n hotel-reservation")
            one.submit("unknown")
            one.submit("nothing was repaired")
            worlds.append(ref(one._player.cluster.live._world))  # type: ignore[union-attr, attr-defined]
            one.end()

    played()  # what all forks share is worked out, for one of them
    worlds.clear()
    gc.collect()
    gc.disable()
    try:
        played()
        assert [world() for world in worlds] == [None, None]
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_fork_is_equal_and_goes_its_own_way(place: Workspace) -> None:
    with Environment(PROBLEM, seed=7, workspace=place) as env:
        env.reset()
        env.step("wait", seconds=30)
        twin = env.fork()
        assert texts(env) == texts(twin)
        twin.step("kubectl", command="delete deployment geo -n hotel-reservation")
        assert "geo" in env.step("kubectl", command="get deploy -n hotel-reservation").text
        (fixes,) = solution(PROBLEM, workspace=place).fixes
        env.submit("unknown")
        for fix in fixes:
            env.step("kubectl", command=fix)
        env.submit("repaired")
        repaired, other = env.close(), twin.close()
    assert repaired.mitigation is not None
    assert repaired.mitigation.verdict.outcome is Outcome.PASS
    assert other.mitigation is not None
    assert other.mitigation.verdict.outcome is Outcome.FAIL
    assert repaired.recovered
    assert other.recovered
    assert other.steps == repaired.steps - len(fixes) - 2 + 1 - 1  # what both did before counts


def test_a_problem_that_was_played_before_is_reset_at_once(place: Workspace) -> None:
    def reset_s() -> float:
        with Environment(PROBLEM, seed=11, workspace=place) as env:
            began = time.process_time()
            env.reset()
            return time.process_time() - began

    first = reset_s()
    assert min(reset_s() for _ in range(5)) < min(0.02, first)


def test_reactive_starts_are_kept_apart(place: Workspace) -> None:
    with Environment(PROBLEM, seed=7, mode="reactive", workspace=place) as env:
        alerts = env.reset().alerts
    assert alerts is not None
    with Environment(PROBLEM, seed=7, mode="reactive", workspace=place) as env:
        assert env.reset().alerts == alerts
    with Environment(PROBLEM, seed=7, workspace=place) as env:
        assert env.reset().alerts is None


def test_adapters_play_by_name(place: Workspace) -> None:
    assert play(PROBLEM, "expert", seed=7, workspace=place).outcome is Outcome.PASS
    assert play(PROBLEM, "noop", seed=7, workspace=place).outcome is Outcome.FAIL


def test_pairs_are_proved(place: Workspace) -> None:
    proof = verify(
        pair("service-target-port", "hotel-reservation", "mongodb-geo", workspace=place),
        workspace=place,
    )
    assert [check for check in proof.checks if not check.ok] == []
    assert proof.problem == "service-target-port.hotel-reservation.mongodb-geo"
    with pytest.raises(UsageError) as caught:
        pair("service-target-port", "hotel-reservation", "load", workspace=place)
    told = re.sub(r"Known: .*", "Known: ...", str(caught.value))
    assert told == (
        "pair 'service-target-port', application 'hotel-reservation': no target named 'load'. "
        "Known: ..."
    )


def test_parameters_that_are_no_mapping(place: Workspace) -> None:
    with pytest.raises(UsageError) as caught:
        pair("service-target-port", "hotel-reservation", "search", [1], workspace=place)  # type: ignore[arg-type]
    assert str(caught.value) == "pair: argument 'parameters': must be a mapping, not a list"


def test_a_pair_on_a_node_is_named_by_what_runs_there(place: Workspace) -> None:
    short = pair("node-power-off", "hotel-reservation", "mongodb-geo", workspace=place)
    whole = pair(
        "node-power-off", "hotel-reservation", "the node that runs mongodb-geo", workspace=place
    )
    assert short == whole


def test_the_catalogue(place: Workspace) -> None:
    everything = problems(workspace=place)
    assert [one.id for one in everything] == sorted(one.id for one in everything)
    lite = problems(suite="lite", workspace=place)
    assert {one.id for one in lite} <= {one.id for one in everything}
    with pytest.raises(UsageError, match=r"^no application named 'nothing'\. Known: "):
        problems(application="nothing", workspace=place)


def loaded(code: str) -> list[str]:
    """The modules that a fresh interpreter has loaded after some code."""
    told = f"import sys\n{textwrap.dedent(code)}\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stderr.split()


def test_importing_loads_little() -> None:
    """What an import costs is told by what it loads, on a busy machine as well."""
    names = loaded("from sregym_core.api import Environment")
    assert not {"pydantic", "yaml", "asyncio", "orjson", "structlog"} & set(names)
    assert len(names) < 160, names


def test_help_loads_little() -> None:
    names = loaded(
        """
        from sregym_core.__main__ import main
        sys.argv = ["sregym", "--help"]
        try:
            main()
        except SystemExit:
            pass
        """
    )
    assert not {"pydantic", "yaml", "asyncio", "orjson", "structlog"} & set(names)
    assert len([name for name in names if not name.startswith("sregym")]) < 240, names
