"""Which alerts fire for each problem, and whether one of them tells of users' pain. About half a minute.

    python benchmarks/alerts.py            # all problems
    python benchmarks/alerts.py ID ...     # some of them

Ends with exit code 1 when users suffer by a problem and nobody on call is told: no alert of severity
critical fires. First is the time from the fault to the first alert that it caused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sregym_core.api import Environment, problems
from sregym_core.events import FaultConfirmed

if TYPE_CHECKING:
    from sregym_core.events import EpisodeEvent

_SECONDS = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(f"{'problem':<52} {'users':>6} {'first':>6}  alerts")
    untold = []
    for problem in given.problem or sorted(one.id for one in problems()):
        success, first, alerts = fired(problem, given.seed)
        print(f"{problem:<52} {success:>6.1%} {first:>4.0f} s  {written(alerts, 'critical')}")
        print(f"{'':<69}{written(alerts, 'warning')}", flush=True)
        if success < 0.99 and not any(alert["severity"] == "critical" for alert in alerts):
            untold.append(problem)
    for problem in untold:
        print(f"users suffer and nobody is told: {problem}")
    return 1 if untold else 0


def fired(problem: str, seed: int) -> tuple[float, float, list[dict[str, str]]]:
    """The share of users' requests that succeed, seconds to the first alert, and all alerts' labels."""
    told: list[EpisodeEvent] = []
    with Environment(problem, seed=seed, on_event=lambda _, event: told.append(event)) as env:
        env.reset()
        cluster = env.cluster
        cluster.clock.advance(_SECONDS)
        query = [("active", "true")]
        answer: list[dict[str, Any]] = json.loads(
            cluster.observe("alertmanager", "/api/v2/alerts", query).body
        )
        # The timeline counts from the episode's beginning, alerts from the epoch.
        began = cluster.clock.now() - env.at_s
        record = env.close()
    injected = began + record.injected_at_s
    confirmed = next(event for event in told if isinstance(event, FaultConfirmed))
    starts = [datetime.fromisoformat(alert["startsAt"]).timestamp() for alert in answer]
    after = [start - injected for start in starts if start >= injected]
    return confirmed.success_rate, min(after, default=0.0), [alert["labels"] for alert in answer]


def written(alerts: list[dict[str, str]], severity: str) -> str:
    counts = Counter(one["alertname"] for one in alerts if one["severity"] == severity)
    names = [name if count == 1 else f"{name} x{count}" for name, count in sorted(counts.items())]
    return f"{severity}: {', '.join(names) or 'none'}"


if __name__ == "__main__":
    sys.exit(main())
