"""How many failed in each way, of what failed in stretches after each other."""

from __future__ import annotations

import math
from random import Random

from sregym_cluster_embedded.traffic.counting import Stretches


def looked_at_one_by_one(parts: list[dict[str, float]]) -> dict[str, int]:
    """The same, with a look at each stretch for each kind."""
    kinds = sorted({kind for part in parts for kind in part})
    rest = [sum(part.values()) for part in parts]
    left, found = math.floor(sum(rest) + 1e-6), {}
    for kind in kinds[:-1]:
        own, missing = 1e-6, float(left)
        for part, whole in zip(parts, rest, strict=True):
            reached = min(whole, missing)
            own += part.get(kind, 0.0) * (reached / whole if whole > 0 else 0.0)
            missing -= reached
        found[kind] = min(math.floor(own), left)
        left -= found[kind]
        rest = [whole - part.get(kind, 0.0) for whole, part in zip(rest, parts, strict=True)]
    return {**found, kinds[-1]: left} if kinds else {}


def test_sums_divide_as_looks_at_each_stretch_do() -> None:
    """Also where kinds come later, nothing fails for a while, and the end of the last stretch is not there yet."""
    chance = Random(3)
    for _ in range(100):
        kinds = chance.sample("abcdef", chance.randint(1, 5))
        stretches, parts = Stretches(), list[dict[str, float]]()
        assert stretches.divided() == {}
        for _ in range(chance.randint(1, 25)):
            part, begun = (
                {
                    kind: chance.choice([0.0, chance.random() * chance.choice([0.01, 1, 10])])
                    for kind in chance.sample(kinds, chance.randint(1, len(kinds)))
                }
                for _ in range(2)
            )
            parts.append(part)
            stretches.add([part])
            assert stretches.divided([begun]) == looked_at_one_by_one([*parts, begun])
            assert stretches.divided() == looked_at_one_by_one(parts)
            assert stretches.parts == parts
