"""The whole application, written down from its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_app_synthetic.programs import write_program
from sregym_app_synthetic.servers import write_server
from sregym_app_synthetic.sizing import sizes
from sregym_app_synthetic.users import write_users
from sregym_app_synthetic.writing import Context, Written

if TYPE_CHECKING:
    from sregym_app_synthetic.graph import Graph


def namespaces_of(graph: Graph) -> tuple[str, str]:
    """Where its parts are, and where its load generator is."""
    return graph.brand, f"{graph.brand}-traffic"


def written(graph: Graph, seed: int) -> Written:
    """Manifests, notes, images and programs of an application.

    Args:
        graph: Its call graph.
        seed: From which keys and versions derive.
    """
    own, outside = namespaces_of(graph)
    out = Written(own, f"registry.{graph.brand}.io")
    context = Context(graph, sizes(graph), seed, out)
    for namespace in (own, outside):
        out.objects.append(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        )
    for part in graph.parts.values():
        write = write_program if part.is_program else write_server
        write(context, part)
    write_users(context, outside)
    callers, operations = graph.callers(), graph.operations_through()
    entrance = graph.operations[0].gateway
    for name in graph.parts:
        note = out.notes[name]
        note["callers"] = (["visitors"] if name == entrance else []) + callers[name]
        note["operations"] = list(operations[name])
        for account in note.get("accounts", ()):
            account["used_by"] = callers[name]
    return out
