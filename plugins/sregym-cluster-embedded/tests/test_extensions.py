"""What extensions add to a world, and whose fault it is when that cannot be used."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from sregym_apps.model import ServiceModel
from sregym_apps.simulation import Command, Extension, Installed, ServerKind
from sregym_cluster_embedded import userland
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.subsystem import Subsystem, subsystems_of
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.rules import rules_of
from sregym_cluster_embedded.userland.builtin import public_models
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds import Kinds
from sregym_core.errors import PluginLoadError
from sregym_core.plugins import Found, PluginStatus

OWNER = PluginStatus("acme", "sregym-acme", "1.0", "ok")


def known(**parts: Any) -> Installed:
    return Installed([Found(OWNER, Extension(name="acme", **parts))])


def kind(**parts: Any) -> ServerKind:
    return ServerKind(name="acme", **({"program": "", "behaviour": "builtins:int"} | parts))


class Seen:
    """A subsystem that notes writes."""

    nodes: ClassVar[list[str]] = []

    @classmethod
    def subsystem(cls) -> Subsystem:
        def note(_world: Any, change: Any) -> None:
            cls.nodes.append(change.key.name)

        return Subsystem("acme", followers={"nodes": (note,)})


def test_a_contribution_takes_part_in_a_world() -> None:
    Seen.nodes.clear()
    world = build(Blueprint(extensions=known(subsystems=(Seen.subsystem,))))
    assert {node["metadata"]["name"] for node in world.store.list("nodes")} == set(Seen.nodes)


def test_a_command_is_carried_out_where_an_image_has_it() -> None:
    extensions = known(commands=(Command("acmectl", print),), tool_sets={"acme": ("acmectl", "ls")})
    model = ServiceModel.model_validate(
        {
            "application": "shop",
            "images": [{"repository": "shop", "tags": ["1"], "size_mib": 1, "tools": ["acme"]}],
        }
    )
    runtime = userland.subsystem([model], extensions).services[RUNTIME.name]
    image = runtime.catalogue.find("shop:1").image
    assert image.tools == ("acmectl", "ls")
    assert "acmectl" in runtime.commands


def test_an_image_of_two_applications_is_each_ones_own_in_its_namespaces() -> None:
    def model(name: str, *namespaces: str) -> ServiceModel:
        image = {"repository": "load", "tags": ["1"], "size_mib": 1, "binaries": {"/load": name}}
        given = {"application": name, "images": [image], "programs": {name: {"kind": "service"}}}
        return ServiceModel.model_validate(given).in_namespaces(namespaces)

    runtime = userland.subsystem([model("shop", "shop"), model("bank", "bank", "tills")])
    find = runtime.services[RUNTIME.name].catalogue.find
    places = ("shop", "bank", "tills", "elsewhere", "")
    found = [find("load:1", place).application for place in places]
    assert found == ["shop", "bank", "bank", "shop", "shop"]


@pytest.mark.parametrize(
    ("extensions", "use", "error"),
    [
        (
            known(server_kinds=(kind(),)),
            lambda found: Kinds(found).of("acme"),
            "server kind 'acme' of sregym-acme 1.0 has the behaviour builtins:int, which is no "
            "subclass of sregym_cluster_embedded.sdk.servers.Kind",
        ),
        (
            known(server_kinds=(kind(exporter="builtins:int"),)),
            lambda found: Catalogue(found).exporters,
            "server kind 'acme' of sregym-acme 1.0 has the exporter builtins:int, which is no "
            "instance of sregym_cluster_embedded.sdk.exporters.Exporter",
        ),
        (
            known(subsystems=("builtins:int",)),
            lambda found: [*subsystems_of(found)],
            "extension 'acme' of sregym-acme 1.0 has the subsystem builtins:int, which gives 0 "
            "and no sregym_cluster_embedded.sdk.controllers.Subsystem",
        ),
        (
            known(subsystems=("builtins:nothing",)),
            lambda found: [*subsystems_of(found)],
            "extension 'acme' of sregym-acme 1.0 cannot be imported from builtins:nothing: "
            "AttributeError: module 'builtins' has no attribute 'nothing'",
        ),
        (
            known(images=("acme_images:public.yaml",)),
            public_models,
            "extension 'acme' of sregym-acme 1.0 has the images acme_images:public.yaml, which "
            "cannot be read: No module named 'acme_images'",
        ),
        (
            known(rules=("acme_rules:alerts.yaml",)),
            rules_of,
            "extension 'acme' of sregym-acme 1.0 has the rules acme_rules:alerts.yaml, which cannot "
            "be read: No module named 'acme_rules'",
        ),
    ],
)
def test_what_cannot_be_used_names_its_distribution(
    extensions: Installed, use: Any, error: str
) -> None:
    with pytest.raises(PluginLoadError) as caught:
        use(extensions)
    assert str(caught.value) == error
