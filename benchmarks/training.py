"""What training costs on one core: episodes, steps of a mixed transcript, memory of live sessions.

    python benchmarks/training.py [PROBLEM] [--episodes N] [--sessions N]

An episode is reset from the kept broken world, takes five scripted steps, hands in both stages, and
is graded in full, without recovery of a world that is thrown away. Figures are CPU time of this
process; the median counts. The same loop over a toy-text environment of gymnasium stands beside it, where that is
installed: what the loop itself costs, and how far a simulated cluster is from a table of 16 states.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sregym_core.api import Budget, Environment, Workspace, solution

if TYPE_CHECKING:
    from collections.abc import Callable

PROBLEM = "missing_service_hotel_reservation"
PLACE = "-n hotel-reservation"
LOOKS = (
    ("kubectl", {"command": f"kubectl get pods {PLACE}"}),
    ("query_metrics", {"query": "sum by (pod) (rate(container_cpu_usage_seconds_total[5m]))"}),
)
# Of 20 calls 12 are reads, 4 logs, 3 queries, 1 a write.
MIXED: tuple[tuple[str, dict[str, object]], ...] = (
    ("kubectl", {"command": f"kubectl get pods {PLACE}"}),
    ("kubectl", {"command": f"kubectl get deployments {PLACE} -o wide"}),
    ("kubectl", {"command": f"kubectl logs deployment/rate {PLACE} --tail=50"}),
    ("kubectl", {"command": f"kubectl get services {PLACE}"}),
    ("kubectl", {"command": f"kubectl describe deployment rate {PLACE}"}),
    ("query_metrics", {"query": 'up{namespace="hotel-reservation"}'}),
    ("kubectl", {"command": f"kubectl get events {PLACE}"}),
    ("kubectl", {"command": f"kubectl logs deployment/frontend {PLACE} --tail=50"}),
    ("kubectl", {"command": f"kubectl get endpointslices {PLACE}"}),
    ("kubectl", {"command": f"kubectl get configmaps {PLACE}"}),
    ("query_logs", {"query": '{namespace="hotel-reservation", app="rate"}', "minutes": 5}),
    ("kubectl", {"command": f"kubectl get service rate {PLACE} -o yaml"}),
    ("kubectl", {"command": f"kubectl logs deployment/search {PLACE} --tail=50"}),
    ("kubectl", {"command": "kubectl get nodes"}),
    ("kubectl", {"command": f"kubectl annotate deployment rate looked-at=now --overwrite {PLACE}"}),
    ("kubectl", {"command": f"kubectl get replicasets {PLACE}"}),
    ("kubectl", {"command": f"kubectl logs deployment/geo {PLACE} --tail=50"}),
    ("kubectl", {"command": f"kubectl get deployment search {PLACE} -o json"}),
    ("search_traces", {"service": "frontend", "minutes": 5}),
    ("kubectl", {"command": f"kubectl get pods {PLACE} -o wide"}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="?", default=PROBLEM)
    parser.add_argument("--episodes", type=int, default=30)
    parser.add_argument("--sessions", type=int, default=100)
    given = parser.parse_args()
    gc.set_threshold(50_000, 20, 50)  # as `sregym` does
    workspace = Workspace()
    budget = Budget(wall_s=None)
    environment = Environment(
        given.problem, seed=7, budget=budget, recover=False, workspace=workspace
    )
    print(f"{'figure':<60} {'measured':>12} {'target':>8}")
    script = steps_of(given.problem, workspace)
    # First of all, while no memory has been given back that they could take.
    show(
        f"GiB for 1,000 live sessions, from {given.sessions} after 5 steps",
        gibibytes(environment, script, given.sessions),
        8,
    )
    episode(environment, script)
    costs = [cpu(lambda: episode(environment, script)) for _ in range(given.episodes)]
    show("episodes/s, 5 steps and full grading", 1 / statistics.median(costs), 60)
    with_recovery = Environment(given.problem, seed=7, budget=budget, workspace=workspace)
    few = max(3, given.episodes // 5)
    costs = [cpu(lambda: episode(with_recovery, script)) for _ in range(few)]
    show("  the same with the world recovered and compared", 1 / statistics.median(costs), None)
    show("steps/s over a mixed transcript", steps_per_second(environment), 1000)
    peer(given.episodes)


def steps_of(problem: str, workspace: Workspace) -> list[tuple[str, dict[str, Any]]]:
    """Looks, then the commands of the reference fix: five in all."""
    fix = [
        str(command) for part in solution(problem, workspace=workspace).fixes for command in part
    ]
    fixing = [("kubectl", {"command": command}) for command in fix[:3]]
    looks = [LOOKS[number % len(LOOKS)] for number in range(5 - len(fixing))]
    return [*looks, *fixing]


def episode(environment: Environment, script: list[tuple[str, dict[str, Any]]]) -> None:
    environment.reset()
    for tool, arguments in script:
        environment.call(tool, arguments)
    environment.submit("It is the weather.")
    environment.submit("The reference fix was applied.")
    record = environment.end()
    assert record.mitigation is not None, record.reason
    assert record.mitigation.verdict.outcome == "pass", record.reason


def steps_per_second(environment: Environment) -> float:
    rounds = []
    for _ in range(5):
        environment.reset()
        rounds.append(cpu(lambda: [environment.call(*one) for one in MIXED]) / len(MIXED))
        environment.end()
    return 1 / statistics.median(rounds)


def gibibytes(
    environment: Environment, script: list[tuple[str, dict[str, Any]]], sessions: int
) -> float:
    """Of a thousand sessions in one process, by what so many have added."""
    environment.reset()
    gc.collect()
    before = resident()
    live = []
    for _ in range(sessions):
        fork = environment.fork()
        for tool, arguments in script:
            fork.call(tool, arguments)
        live.append(fork)
    gc.collect()
    added = resident() - before
    assert len(live) == sessions
    environment.end()
    return added / sessions * 1000 / 2**30


def resident() -> int:
    """Bytes of this process in memory."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peer(episodes: int) -> None:
    """Five steps of a toy-text environment."""
    if find_spec("gymnasium") is None:
        print("gymnasium is not installed: pip install gymnasium shows its loop beside this")
        return
    lake = import_module("gymnasium").make("FrozenLake-v1", is_slippery=False)

    def play() -> None:
        lake.reset(seed=7)
        for action in (2, 2, 1, 1, 1):
            lake.step(action)

    costs = [cpu(play) for _ in range(episodes * 10)]
    show(
        "peer: episodes/s of gymnasium's FrozenLake-v1, 5 steps", 1 / statistics.median(costs), None
    )


def cpu(action: Callable[[], object]) -> float:
    """CPU seconds of an action."""
    before = time.process_time()
    action()
    return time.process_time() - before


def show(figure: str, value: float, target: float | None) -> None:
    promised = "" if target is None else f"{target:g}"
    print(f"{figure:<60} {value:>12.1f} {promised:>8}", flush=True)


if __name__ == "__main__":
    main()
