"""`kubectl top pod` and `kubectl top node`."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_COMMON = (Flag("selector", "l"), Flag("sort-by"), switch("no-headers"))
POD_FLAGS = (
    *_COMMON,
    switch("all-namespaces", "A"),
    switch("containers"),
    switch("sum"),
    Flag("field-selector"),
)
NODE_FLAGS = (*_COMMON, switch("show-capacity"))
_GROUP = "/apis/metrics.k8s.io/v1beta1"
_MIB = 1024 * 1024
_WIDTH, _PADDING = 6, 3


def pods(session: Session) -> None:
    """Run `kubectl top pod`."""
    arguments = session.arguments
    _check(session, "pod [NAME | -l label]", "selector")
    if arguments.on("sum") or arguments.has("field-selector"):
        raise NotCovered("top pod --sum or --field-selector")
    everywhere = arguments.on("all-namespaces")
    where = "" if everywhere else f"/namespaces/{session.namespace}"
    items = _items(session, f"{_GROUP}{where}/pods")
    if not items:
        raise NotCovered("top pod without metrics")
    items.sort(key=lambda item: (item["metadata"]["namespace"], item["metadata"]["name"]))
    totals = [_sum(item["containers"]) for item in items]
    order = _order(arguments.text("sort-by"), totals)
    rows: list[list[str]] = []
    by_container = arguments.on("containers")
    for index in order:
        item = items[index]
        head = [item["metadata"]["namespace"]] if everywhere else []
        head.append(item["metadata"]["name"])
        if by_container:
            for entry in _containers(item, arguments.text("sort-by")):
                rows.append([*head, entry["name"], *_shown(_used(entry["usage"]))])
        else:
            rows.append([*head, *_shown(totals[index])])
    names = ["POD", "NAME"] if by_container else ["NAME"]
    header = [*(["NAMESPACE"] if everywhere else []), *names, "CPU(cores)", "MEMORY(bytes)"]
    _print(session, header, rows)


def nodes(session: Session) -> None:
    """Run `kubectl top node`."""
    arguments = session.arguments
    _check(session, "node [NAME | -l label]", "--selector")
    if arguments.on("show-capacity"):
        raise NotCovered("top node --show-capacity")
    items = _items(session, f"{_GROUP}/nodes")
    if not items:
        raise NotCovered("top node without metrics")
    items.sort(key=lambda item: str(item["metadata"]["name"]))
    query = [("labelSelector", arguments.text("selector"))] if arguments.has("selector") else []
    listed = session.client.send("GET", "/api/v1/nodes", query)["items"]
    room = {node["metadata"]["name"]: node["status"]["allocatable"] for node in listed}
    totals = [_used(item["usage"]) for item in items]
    rows = []
    for index in _order(arguments.text("sort-by"), totals):
        name = items[index]["metadata"]["name"]
        cpu, memory = totals[index]
        shown = _shown(totals[index])
        free = room[name]
        cores = _percent(cpu, parse(free["cpu"]))
        rows.append([name, shown[0], cores, shown[1], _percent(memory, parse(free["memory"]))])
    measured = {item["metadata"]["name"] for item in items}
    if not arguments.words:
        rows += [[name, *["<unknown>"] * 4] for name in sorted(room) if name not in measured]
    _print(session, ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], rows)


def _check(session: Session, form: str, selector: str) -> None:
    arguments = session.arguments
    if len(arguments.words) > 1:
        raise usage_error(arguments.command, form)
    if arguments.text("sort-by", "cpu") not in ("cpu", "memory"):
        raise CommandError("error: --sort-by accepts only cpu or memory")
    if arguments.words and (arguments.text("selector") or arguments.text("field-selector")):
        raise CommandError(f"error: only one of NAME or {selector} can be provided")
    discovery = session.client.discovery()
    kind = discovery.of_kind("metrics.k8s.io/v1beta1", "NodeMetrics")
    if kind is None:
        kind = session.client.discovery(fresh=True).of_kind("metrics.k8s.io/v1beta1", "NodeMetrics")
    if kind is None:
        raise CommandError("error: Metrics API not available")


def _items(session: Session, path: str) -> list[Object]:
    arguments = session.arguments
    if arguments.words:
        return [session.client.send("GET", f"{path}/{arguments.words[0]}")]
    query = [("labelSelector", arguments.text("selector"))] if arguments.has("selector") else []
    found: list[Object] = session.client.send("GET", path, query)["items"]
    return found


def _used(usage: Object) -> tuple[Decimal, Decimal]:
    return parse(usage["cpu"]), parse(usage["memory"])


def _sum(containers: Iterable[Object]) -> tuple[Decimal, Decimal]:
    used = [_used(entry["usage"]) for entry in containers]
    return sum((cpu for cpu, _ in used), Decimal(0)), sum((m for _, m in used), Decimal(0))


def _containers(item: Object, by: str) -> list[Object]:
    found: list[Object] = sorted(item["containers"], key=lambda entry: str(entry["name"]))
    if by:
        found.sort(key=lambda entry: -_rank(by, _used(entry["usage"])))
    return found


def _order(by: str, totals: Sequence[tuple[Decimal, Decimal]]) -> list[int]:
    order = list(range(len(totals)))
    if by:
        order.sort(key=lambda index: -_rank(by, totals[index]))
    return order


def _rank(by: str, used: tuple[Decimal, Decimal]) -> int:
    """Processors are compared in thousandths, memory in bytes."""
    return ceil(used[1]) if by == "memory" else ceil(used[0] * 1000)


def _shown(used: tuple[Decimal, Decimal]) -> list[str]:
    cpu, memory = used
    return [f"{ceil(cpu * 1000)}m", f"{int(memory) // _MIB}Mi"]


def _percent(used: Decimal, available: Decimal) -> str:
    milli = ceil(used * 1000)
    return f"{int(milli / int(available * 1000) * 100)}%"


def _print(session: Session, header: list[str], rows: list[list[str]]) -> None:
    """Every cell ends with a tab, the last one, too."""
    lines = rows if session.arguments.on("no-headers") else [header, *rows]
    widths = [
        max(_WIDTH, max(len(line[column]) for line in lines) + _PADDING)
        for column in range(len(header))
    ]
    for line in lines:
        session.say("".join(c.ljust(w) for c, w in zip(line, widths, strict=True)))
