"""Descriptions of extensions: what they offer together, and what is said of those that are wrong."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from sregym_apps.model import ServiceModelError, StoreProgram, parse_service_model
from sregym_apps.simulation import Command, Extension, Installed, ServerKind, WireProtocol
from sregym_core.errors import PluginClashError, PluginLoadError
from sregym_core.plugins import Found, PluginStatus


class CacheProgram(StoreProgram):
    """A cache of a third party."""

    kind: Literal["acme-cache"]
    slots: int = 8


CACHE = ServerKind(
    name="acme-cache",
    program=CacheProgram,
    behaviour="acme.behaviour:Cache",
    protocols=(WireProtocol("acme", 7000),),
    commands=(Command("acme-cli", "acme.client:run", prompt="acme> "),),
    tool_sets={"acme": ("acme-cli",)},
    log_formats={"acme-log": "acme.logs:line"},
)
MODEL = """\
application: shop
programs:
  web:
    clients: {cache: {protocol: acme, address: cache}}
  cache: {kind: acme-cache, port: 7000, slots: 4, log: {format: acme-log}}
"""


def found(*extensions: Extension) -> list[Found]:
    return [
        Found(PluginStatus(one.name, f"sregym-{one.name}", "1.0", "ok"), one) for one in extensions
    ]


def extension(name: str = "server-acme-cache", **parts: Any) -> Extension:
    return Extension(name=name, **({"server_kinds": (CACHE,)} | parts))


def known(*extensions: Extension) -> Installed:
    return Installed(found(*extensions))


def test_a_model_is_read_with_the_kinds_that_are_installed() -> None:
    model = parse_service_model(MODEL, "shop.yaml", known(extension()))
    cache, web = model.programs["cache"], model.programs["web"]
    assert isinstance(cache, CacheProgram)
    assert (cache.slots, cache.log.format) == (4, "acme-log")
    assert web.clients["cache"].wire.port == 7000  # type: ignore[attr-defined]  # a service


def test_what_is_missing_is_named_with_file_line_and_package() -> None:
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(MODEL, "shop.yaml", known())
    first, *_, last = str(caught.value).splitlines()
    assert first.startswith("shop.yaml:4: programs.web.clients.cache.protocol: there is no ")
    assert "protocol 'acme' (there are: " in first
    assert " grpc, http, " in first
    assert last.startswith("shop.yaml:5: programs.cache: there is no kind 'acme-cache' (there are")
    assert last.endswith("); is its plugin missing? Try: pip install sregym-server-acme-cache")


def test_a_plugin_that_does_not_load_is_named_instead() -> None:
    status = PluginStatus(
        "server-acme-cache", "sregym-server-acme-cache", "1.0", "blocked", "disabled"
    )
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(MODEL, "shop.yaml", Installed([Found(status)]))
    assert str(caught.value).endswith(
        "; sregym-server-acme-cache 1.0 would bring it but is blocked: disabled"
    )


def test_a_field_of_a_program_of_an_extension_is_checked() -> None:
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(MODEL.replace("slots: 4", "slots: many"), "a.yaml", known(extension()))
    assert str(caught.value) == (
        "a.yaml:5: programs.cache.slots: must be a whole number, not 'many'"
    )


def test_an_unknown_log_format_is_named() -> None:
    text = MODEL.replace("format: acme-log", "format: acme-lag")
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(text, "a.yaml", known(extension()))
    message = str(caught.value)
    assert message.startswith("a.yaml:5: programs.cache.log.format: there is no log format 'acme-l")
    assert message.endswith("; did you mean 'acme-log'?")


def test_the_parts_of_a_description_are_checked() -> None:
    with pytest.raises(TypeError) as caught:
        Extension(name="acme", server_kinds=["x"])  # type: ignore[arg-type]
    assert str(caught.value) == "Extension 'acme': server_kinds is ['x'], not a tuple"
    with pytest.raises(TypeError) as caught:
        Extension(name="acme", server_kinds=("x",))  # type: ignore[arg-type]
    assert str(caught.value) == "Extension 'acme': server_kinds[0] is 'x', not a ServerKind"
    with pytest.raises(TypeError) as caught:
        ServerKind(name="acme", program="", behaviour="", users=())  # type: ignore[arg-type]
    assert str(caught.value) == "ServerKind 'acme': users is (), not a Mapping"


def test_what_an_extension_adds_can_be_listed() -> None:
    whole = extension(exporters=("acme.figures:EXPORTER",), subsystems=("acme.op:controller",))
    assert whole.components() == [
        "container command acme-cli",
        "controller controller",
        "exporter EXPORTER",
        "log format acme-log",
        "protocol acme",
        "server kind acme-cache",
        "tool set acme",
    ]


def test_two_distributions_that_offer_one_name_clash() -> None:
    other = Extension(name="other", commands=(Command("acme-cli", "other:run"),))
    with pytest.raises(PluginClashError) as caught:
        known(extension(), other)
    assert str(caught.value) == (
        "container command 'acme-cli' is offered by two distributions, 'sregym-other 1.0' and "
        "'sregym-server-acme-cache 1.0'; uninstall one or set SREGYM_DISABLE=server-acme-cache"
    )
    with pytest.raises(PluginClashError) as caught:
        known(extension(commands=(Command("acme-cli", "other:run"),)))
    assert str(caught.value) == (
        "sregym-server-acme-cache 1.0 offers the container command 'acme-cli' twice; "
        "keep one of them"
    )


def test_two_kinds_may_speak_one_protocol() -> None:
    second = ServerKind(
        name="acme-proxy", program="", behaviour="", protocols=(WireProtocol("acme", 7000),)
    )
    assert known(extension(server_kinds=(CACHE, second))).protocols["acme"].port == 7000


def test_a_reference_that_leads_nowhere_names_the_distribution() -> None:
    with pytest.raises(PluginLoadError) as caught:
        known(extension()).load("server kind", "acme-cache", CACHE.behaviour)
    assert str(caught.value) == (
        "server kind 'acme-cache' of sregym-server-acme-cache 1.0 cannot be imported from "
        "acme.behaviour:Cache: ModuleNotFoundError: No module named 'acme'"
    )


def test_a_program_must_be_one() -> None:
    wrong = ServerKind(name="acme-cache", program="builtins:int", behaviour="")
    with pytest.raises(PluginLoadError) as caught:
        parse_service_model(MODEL, "a.yaml", known(extension(server_kinds=(wrong,))))
    assert str(caught.value) == (
        "server kind 'acme-cache' of sregym-server-acme-cache 1.0 has the program builtins:int, "
        "which is no sregym_apps.model.Program with kind: Literal['acme-cache']"
    )
