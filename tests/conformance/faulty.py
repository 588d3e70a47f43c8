"""The gate over a cluster with a defect, to prove that the gate can fail.

python tests/conformance/faulty.py DEFECT [ARGUMENTS OF run.py]

Each defect is one that a change could bring in by accident. It is planted in this process only, so
the recordings are replayed in it as well (`--jobs 1`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from harness import cluster
from run import main
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.world import World


def deaf(handler: str) -> None:
    """Let nothing happen on the events of one handler, once the cluster is up."""
    booted = cluster.booted

    @lru_cache(maxsize=1)
    def without() -> World:
        world = booted()
        handlers = {**world.spec.handlers, handler: lambda *_: None}
        world.spec = replace(world.spec, handlers=handlers)
        return world

    cluster.booted = without


def misspelt() -> None:
    """Let every refusal of the API lose a letter."""
    plain = ApiError.__init__

    def changed(self: ApiError, *arguments: object, **named: object) -> None:
        plain(self, *arguments, **named)  # type: ignore[arg-type]
        self.status["message"] = self.message.replace("not found", "not fund")

    ApiError.__init__ = changed  # type: ignore[method-assign]


DEFECTS: dict[str, Callable[[], None]] = {
    "no-endpoints": lambda: deaf("controllers.endpoints"),
    "no-deployments": lambda: deaf("controllers.deployment"),
    "misspelt": misspelt,
}

if __name__ == "__main__":
    DEFECTS[sys.argv[1]]()
    sys.argv[1:] = [*sys.argv[2:], "--jobs", "1"]
    sys.exit(main())
