"""A kind of server is known in its own distribution, and nowhere else.

What a simulated cluster, or a service model, knows of a server it knows from the extension.
"""

from __future__ import annotations

import re

import pytest
from importlib_metadata import EntryPoint
from sregym_apps.simulation import Extension
from workspace import ROOT, Project, projects

PROJECTS = projects()
SERVERS = [project for project in PROJECTS if project.name.startswith("sregym-server-")]
ELSEWHERE = ("sregym-core", "sregym-apps", "sregym-cluster-embedded")
# Files that may name a kind, and why. The list only becomes shorter.
ALLOWED = {
    "sregym_core/src/sregym_core/package_hints.py": "says which distribution to install",
    "plugins/sregym-testing/src/sregym_testing/memory/full_shop.py": "an application for tests; its image is one of these",
    "plugins/sregym-testing/src/sregym_testing/memory/full_shop.yaml": "its manifests",
}
_EMBEDDED = "plugins/sregym-cluster-embedded/src/sregym_cluster_embedded"
_MODEL = "sregym_apps/src/sregym_apps/model"
# The same for one of them: what a part of the cluster itself has in common with a kind of server.
PARTS = {
    "sregym-server-etcd": {
        f"{_EMBEDDED}/api/components.py": "the control plane's store",
        f"{_EMBEDDED}/api/health.py": "the control plane's store",
        f"{_EMBEDDED}/network/corefile.py": "a plugin of CoreDNS",
        f"{_EMBEDDED}/node/kubeadm.py": "the control plane's store",
        f"{_EMBEDDED}/telemetry/metrics/chapters.py": "metrics of the control plane's store",
        f"{_EMBEDDED}/telemetry/metrics/exporters/etcd.py": "metrics of the control plane's store",
        f"{_EMBEDDED}/userland/host/files.py": "folders of the control plane's store",
        f"{_EMBEDDED}/userland/models/control_plane.yaml": "the image of the control plane's store",
    },
    "sregym-server-tidb": {
        f"{_EMBEDDED}/node/control_plane.py": "a storage driver, Google's persistent disk",
    },
    "sregym-server-nginx": {
        f"{_EMBEDDED}/assembly.py": "the ingress controller's class",
        f"{_EMBEDDED}/network/ingress.py": "the ingress controller's annotations",
        f"{_EMBEDDED}/network/ingress_status.py": "the ingress controller's name",
        f"{_EMBEDDED}/node/ingress_controller.py": "the ingress controller's objects",
        f"{_EMBEDDED}/userland/formats.py": "access lines of the ingress controller and of proxies",
        f"{_EMBEDDED}/userland/kinds/ingress.py": "the ingress controller's words",
        f"{_EMBEDDED}/userland/models/ingress.yaml": "the ingress controller's image",
        f"{_EMBEDDED}/userland/pages.py": "pages of the ingress controller and of proxies",
        f"{_EMBEDDED}/userland/shell/proxied.py": "pages of the ingress controller",
        f"{_MODEL}/building_blocks.py": "the format of access lines",
        f"{_MODEL}/configuration.py": "the format of access lines",
        f"{_MODEL}/ingress.py": "the ingress controller's words",
        f"{_MODEL}/proxy.py": "flavours of a proxy",
        "sregym_apps/src/sregym_apps/simulation/benign_errors.yaml": "lines of those who write the format of access lines",
    },
}


# Names that are also ordinary words of the trade: only the model and the distribution tell.
ORDINARY = {
    "registry": "where images come from, and where a client looks a service up",
}


def extension(project: Project) -> Extension:
    (entries,) = project.settings["project"]["entry-points"].values()
    ((name, value),) = entries.items()
    loaded = EntryPoint(name=name, value=value, group="sregym.simulation").load()
    assert isinstance(loaded, Extension)
    return loaded


def names(project: Project) -> set[str]:
    """Its kinds, their models, protocols, tool sets and commands, and the distribution's name."""
    described = extension(project)
    found = {project.name.removeprefix("sregym-server-")}
    for kind in described.server_kinds:
        found |= {kind.name, *kind.tool_sets, *(command.name for command in kind.commands)}
        found.add(kind.program.rpartition(":")[2])
    return (found | {protocol.name for protocol in described.all_of("protocols")}) - set(ORDINARY)


def _pattern(project: Project) -> re.Pattern[str]:
    words = "|".join(rf"(?<![a-z]){re.escape(name)}(?![a-z])" for name in sorted(names(project)))
    return re.compile(words, re.IGNORECASE)


@pytest.mark.parametrize("project", SERVERS, ids=lambda project: project.name)
def test_nothing_else_names_a_kind_of_server(project: Project) -> None:
    pattern = _pattern(project)
    found = {}
    allowed = {**ALLOWED, **PARTS.get(project.name, {})}
    for other in PROJECTS:
        if other.name not in ELSEWHERE:
            continue
        for path in sorted(other.source.rglob("*")):
            relative = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".py", ".yaml") or relative in allowed:
                continue
            hits = [
                line.strip()
                for line in path.read_text(encoding="utf-8").splitlines()
                if pattern.search(line)
            ]
            if hits:
                found[relative] = hits
    assert found == {}


def test_what_is_allowed_is_needed() -> None:
    by_name = {project.name: project for project in SERVERS}
    needless = [
        file
        for name, files in PARTS.items()
        for file in files
        if not _pattern(by_name[name]).search((ROOT / file).read_text(encoding="utf-8"))
    ]
    assert needless == []
