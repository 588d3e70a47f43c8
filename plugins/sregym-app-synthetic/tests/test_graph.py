"""The call graph: as large and as shaped as asked for, the same for the same seed."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from sregym_app_synthetic.generating import generate
from sregym_app_synthetic.graph import Graph, Role
from sregym_app_synthetic.settings import Settings


def longest_chain(graph: Graph) -> int:
    """Calls one after another, from the user's to that of a database."""
    after: dict[tuple[str, str], int] = {}
    for part, method in reversed(graph.in_order()):
        below = [after[call.part, call.method] for call in method.calls]
        after[part.name, method.name] = 1 + max([*below, 1 if part.store else 0], default=0)
    return max(after[one.gateway, one.method] for one in graph.operations)


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize("services", [10, 11, 40, 200, 1000])
def test_it_has_as_many_parts_as_asked_for(services: int, seed: int) -> None:
    graph = generate(Settings(services=services, seed=seed))
    roles = Counter(part.role for part in graph.parts.values())
    assert len(graph.parts) == services
    assert roles[Role.STORE] == round(services * 0.2)
    assert roles[Role.CACHE] == round(services * 0.15)
    assert roles[Role.BROKER] == round(services * 0.03)
    assert set(graph.rates()) == {(part.name, one.name) for part, one in graph.in_order()}
    assert all(rate > 0 for rate in graph.rates().values())


@pytest.mark.parametrize("depth", [3, 5, 8])
def test_no_chain_of_calls_is_longer_than_asked_for(depth: int) -> None:
    graph = generate(Settings(services=300, depth=depth, seed=3))
    assert depth - 1 <= longest_chain(graph) - 1 <= depth


def test_programs_call_as_many_others_as_asked_for() -> None:
    for fan_out in (2.0, 4.0):
        graph = generate(Settings(services=1000, fan_out=fan_out))
        tree = [
            sum(call.method == "Process" for call in part.methods[0].calls)
            for part in graph.parts.values()
            if part.role is Role.SERVICE
        ]
        assert statistics.mean(filter(None, tree)) == pytest.approx(fan_out, rel=0.1)


def test_few_programs_take_most_of_the_calls() -> None:
    graph = generate(Settings(services=1000))
    callers = graph.callers()
    many = sorted((len(callers[n]) for n, part in graph.parts.items() if part.is_program), reverse=True)  # fmt: skip
    assert statistics.median(many) == 1
    assert many[0] > 50
    assert sum(many[: len(many) // 20]) > 0.3 * sum(many)


def test_the_same_seed_is_the_same_graph_and_another_is_another() -> None:
    settings = Settings(services=60, seed=11)
    assert generate(settings) == generate(settings)
    others = [generate(Settings(services=60, seed=seed)) for seed in range(4)]
    shapes = {tuple(sorted(graph.parts)) for graph in others}
    assert len(shapes) == 4


def test_everything_is_called_by_somebody_and_nothing_before_its_callers() -> None:
    graph = generate(Settings(services=200, seed=2))
    callers = graph.callers()
    order = [*graph.parts]
    entrance = graph.operations[0].gateway
    assert [name for name in order if not callers[name]] == [entrance, *(
        part.name for part in graph.parts.values() if part.role is Role.WORKER
    )]  # fmt: skip
    late = [name for name in order for one in callers[name] if order.index(one) > order.index(name)]
    assert late == []
