"""Episodes as data sets for root cause analysis, and a loader of them.

from sregym_dataset import load

for case in load("dataset"):
    print(case.id, case.labels["root_causes"][0]["component"], case.table("metrics", "abnormal").num_rows)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_dataset.loading import Case, load

__all__ = ["Case", "load"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: loading a plugin is cheap."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module("sregym_dataset.loading"), name)
