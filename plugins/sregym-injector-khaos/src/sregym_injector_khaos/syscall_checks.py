"""Whether a process on a node makes the system calls that a fault lets fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_kubernetes.node_settings import SAME_CALLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import Node

# Those of which is known which programs make them as they serve.
_KNOWN = frozenset(
    {
        *("open", "read", "write", "fsync", "connect", "sendmmsg"),
        *("mmap", "mprotect", "clone", "clock_gettime"),
    }
)
# Those for which a container does not have the right.
_OF_ADMINISTRATORS = frozenset({"mount", "setns", "swapon"})


def makes_no_such_call(node: Node, settings: Sequence[Mapping[str, object]]) -> str:
    """Why none of the calls is made there, as the end of a sentence; empty where one may be.

    Args:
        node: With the component whose processes are meant.
        settings: What is set, of which some may be no system calls.
    """
    calls = [str(one.get("call", "")) for one in settings]
    made = None if node.component is None else node.component.system_calls
    if made is None:
        return ""
    plain = {SAME_CALLS.get(call, call) for call in calls}
    if plain & set(made) or not plain <= _KNOWN | _OF_ADMINISTRATORS:
        return ""
    name = "" if node.component is None else node.component.name
    told = " and no ".join(dict.fromkeys(calls))
    return f"the program of {name} calls no {told} as it serves"
