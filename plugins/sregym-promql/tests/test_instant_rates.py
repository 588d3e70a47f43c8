"""`irate` and `idelta` look at the last two samples alone."""

from __future__ import annotations

import pytest
from sregym_promql import Engine
from sregym_promql.memory import Memory, parse_openmetrics


@pytest.mark.parametrize(
    ("samples", "irate", "idelta"),
    [
        ((10, 40, 70), "0.5", "30"),
        ((10, 70, 70), "0", "0"),
        ((10, 70, 30), "0.5", "-40"),
        ((10, 70, 0), "0", "-70"),
    ],
    ids=["grows", "rests", "counts anew", "begins anew"],
)
def test_the_last_two_samples(samples: tuple[int, ...], irate: str, idelta: str) -> None:
    lines = [f"requests_total {value} {60 * place}" for place, value in enumerate(samples)]
    engine = Engine(Memory(parse_openmetrics("\n".join([*lines, ""]))))

    def now(query: str) -> str:
        [(_, value)] = engine.instant(query, 120).rows
        return f"{value:g}"

    assert (now("irate(requests_total[5m])"), now("idelta(requests_total[5m])")) == (irate, idelta)
