"""Fields of the configuration file of a node's kubelet, which reads it when it restarts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.errors import NodeError
from sregym_kubernetes.node_settings import KubeletField

from sregym_cluster_embedded.api.documents import DocumentError, read_yaml
from sregym_cluster_embedded.kubelet.runtime import host_ref
from sregym_cluster_embedded.userland.files.view import LAYERS
from sregym_cluster_embedded.userland.host import services
from sregym_cluster_embedded.userland.host.files import host_files
from sregym_cluster_embedded.userland.host.image import KUBELET_AS_INSTALLED, KUBELET_CONFIG
from sregym_cluster_embedded.userland.host.units import ACTIVE, KUBELET, status, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.world import World


@lru_cache(maxsize=64)
def _parsed(text: str) -> Any:
    return read_yaml(text)


def _content(world: World, node: str) -> dict[str, Any]:
    text = host_files(world, node).read(KUBELET_CONFIG) or ""
    try:
        content = _parsed(text)
    except DocumentError:
        content = None
    # A file that cannot be read has no fields; that it differs is seen by the files of the node.
    return dict(content) if isinstance(content, dict) else {}


def _at(content: Any, field: str) -> Any:
    for step in field.split("/"):
        content = content.get(step) if isinstance(content, dict) else None
    return content


def read_field(world: World, setting: KubeletField) -> KubeletField:
    """How a field is; None when it is as the node was set up with."""
    value = _at(_content(world, setting.node), setting.field)
    installed = _at(KUBELET_AS_INSTALLED, setting.field)
    return setting.model_copy(update={"value": None if value == installed else value})


def write_field(world: World, setting: KubeletField) -> None:
    """Write the file, and let a kubelet that runs restart."""
    node, files = setting.node, host_files(world, setting.node)
    content = yaml.safe_load(yaml.safe_dump(_content(world, node)))
    value = setting.value
    if value is None:
        value = _at(KUBELET_AS_INSTALLED, setting.field)
    _put(content, setting.field.split("/"), value)
    if content == KUBELET_AS_INSTALLED:
        files.give_back(KUBELET_CONFIG, None, installed=True)
    else:
        files.write(KUBELET_CONFIG, yaml.safe_dump(content, sort_keys=True))
    unit = unit_of(files, KUBELET)
    if unit is None:
        msg = f"node {node!r} has no service {KUBELET!r} that could be started anew"
        raise NodeError(msg)
    if status(world, node, KUBELET).state == ACTIVE:
        services.stop(world, node, unit)
        services.start(world, node, files, unit)


def _put(content: dict[str, Any], steps: list[str], value: Any) -> None:
    first, *rest = steps
    if rest:
        inner = content.setdefault(first, {})
        _put(inner, rest, value)
        if not inner:
            del content[first]
    elif value is None:
        content.pop(first, None)
    else:
        content[first] = value


def changed_fields(world: World, node: str) -> Iterator[KubeletField]:
    """One setting, without a value, of each field that differs."""
    if not world.table(LAYERS).get(host_ref(node)):
        return  # nothing was written on the node
    content = _content(world, node)
    if not content:
        return
    for field in sorted({*content, *KUBELET_AS_INSTALLED}):
        now, installed = content.get(field), KUBELET_AS_INSTALLED.get(field)
        if now == installed:
            continue
        if isinstance(now, dict) and (installed is None or isinstance(installed, dict)):
            for inner in sorted({*now, *(installed or {})}):
                if now.get(inner) != (installed or {}).get(inner):
                    yield KubeletField(node=node, field=f"{field}/{inner}")
        else:
            yield KubeletField(node=node, field=field)
