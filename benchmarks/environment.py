"""What episodes cost a program: the first reset, a reset again, steps of mixed tools. Prints CPU figures.

    python benchmarks/environment.py [PROBLEM]

Steps are those of `tool_calls.py`: kubectl, metrics, logs, traces and alerts in the order of an
engineer's, on a world that nobody has asked anything yet. Start-up figures are the CPU of whole
processes, the best of five.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from sregym_core.api import Environment
from tool_calls import TRANSCRIPT

if TYPE_CHECKING:
    from collections.abc import Callable

_RESETS, _TURNS, _STARTS = 200, 5, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="?", default="missing_service_hotel_reservation")
    problem = parser.parse_args().problem
    print(f"{'figure':<52} {'measured':>12} {'promised':>12}")
    with Environment(problem, seed=7) as environment:
        show("reset of a problem not played before", ms(environment.reset), None)
        again = [ms(lambda: environment.reset(7)) for _ in range(_RESETS)]
        show("reset of a problem played before, median", statistics.median(again), 20)
        turns = []
        for _ in range(_TURNS):
            environment.reset(7)
            turns.append([ms(partial(environment.call, *one)) for one in TRANSCRIPT])
        best = [min(costs) for costs in zip(*turns, strict=True)]
        show(f"step, mean over {len(TRANSCRIPT)} of mixed tools", statistics.mean(best), 2)
        show(
            "fork of an environment, median",
            statistics.median(ms(environment.fork) for _ in range(50)),
            None,
        )
        environment.end()
    show("sregym --help, process", process("-m", "sregym_core", "--help"), 150)
    start = process("-c", "pass")
    show(
        "import sregym_core.api, beyond an empty process",
        process("-c", "import sregym_core.api") - start,
        80,
    )


def ms(action: Callable[[], object]) -> float:
    """CPU milliseconds of an action in this process."""
    begun = time.process_time()
    action()
    return (time.process_time() - begun) * 1000


def process(*words: str) -> float:
    """CPU milliseconds of a Python process, the best of some."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    costs = []
    for _ in range(_STARTS):
        before = spent()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        costs.append(spent() - before)
    return min(costs) * 1000


def show(name: str, measured: float, promised: float | None) -> None:
    """One line of the table."""
    wanted = "" if promised is None else f"{promised:.0f} ms"
    print(f"{name:<52} {measured:>9.2f} ms {wanted:>12}")


if __name__ == "__main__":
    main()
