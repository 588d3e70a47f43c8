"""How fast expressions are compiled and evaluated beside other interpreters of CEL. Prints ratios of CPU time.

python benchmarks/cel_expressions.py: `cel-python` and `common-expression-language` are measured where they are
installed; above 1 they take longer than sregym-cel. The second is a Rust program with bindings.
"""

from __future__ import annotations

import importlib
import time
from itertools import count
from typing import TYPE_CHECKING, Any

from sregym_cel import KUBERNETES, STANDARD, Environment

if TYPE_CHECKING:
    from collections.abc import Callable

OBJECT = {
    "replicas": 3,
    "name": "web-1",
    "labels": {"app": "web", "tier": "front"},
    "ports": [{"port": number, "name": f"p{number}"} for number in range(20)],
}
EXPRESSIONS = (
    "self.replicas <= 5 && self.name.startsWith('web')",
    "has(self.labels.app) && self.labels['tier'] in ['front', 'back']",
    "self.ports.all(p, p.port >= 0 && p.name != '')",
    "self.ports.filter(p, p.port > 10).map(p, p.name + '!').size() == 9",
    "(self.replicas * 2 + 1) % 5 == 2 ? 'a' : 'b'",
)
RUNS, TIMES = 7, 100


def best(work: Callable[[], object], times: int = TIMES) -> float:
    """Seconds of the processor for one call."""
    taken = []
    for _ in range(RUNS):
        begun = time.process_time()
        for _ in range(times):
            work()
        taken.append(time.process_time() - begun)
    return min(taken) / times


def ours(text: str) -> tuple[Callable[[], object], Callable[[], object]]:
    environment = Environment(STANDARD, KUBERNETES)
    numbers = count()

    def compiled() -> Any:
        # Each time another text, since an environment remembers what it has compiled.
        return environment.compile(f"{text} // {next(numbers)}", ("self",))

    program = environment.compile(text, ("self",))
    return compiled, lambda: program.evaluate({"self": OBJECT})


def celpy(text: str) -> tuple[Callable[[], object], Callable[[], object]]:
    module = importlib.import_module("celpy")
    environment = module.Environment()
    given = {"self": module.json_to_cel(OBJECT)}
    program = environment.program(environment.compile(text))
    return lambda: environment.program(environment.compile(text)), lambda: program.evaluate(given)


def common(text: str) -> tuple[Callable[[], object], Callable[[], object]]:
    module = importlib.import_module("cel")
    program = module.compile(text)
    return lambda: module.compile(text), lambda: program.execute({"self": OBJECT})


def main() -> None:
    others = {"cel-python": celpy, "common-expression-language": common}
    for text in EXPRESSIONS:
        compiled, evaluated = map(best, ours(text))
        print(f"{text}\n  sregym-cel: {compiled * 1e6:.0f} us to compile, {evaluated * 1e6:.1f} us")
        for name, make in others.items():
            try:
                works = make(text)
            except ImportError:
                print(f"  {name}: not installed")
                continue
            first, second = (best(work, TIMES // 10) for work in works)
            print(f"  {name}: x{first / compiled:.2f} to compile, x{second / evaluated:.2f}")


if __name__ == "__main__":
    main()
