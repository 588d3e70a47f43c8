"""Tools that plugins bring: where they stand, how they are called, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from pydantic import Field
from sregym_core.conductor import ComponentFactory
from sregym_core.errors import PluginClashError, PluginError
from sregym_core.interfaces import (
    PagedArguments,
    SessionTool,
    ToolArguments,
    ToolContext,
    ToolError,
    ToolGroup,
)
from sregym_core.settings import Settings
from sregym_core.toolbox.catalogue import Toolset
from sregym_testing import LocalPlugins

from sregym_core import Registration


class Profile(SessionTool):
    """Profiles of a service, and how they fail."""

    name: ClassVar[str] = "profile"
    group: ClassVar[ToolGroup] = ToolGroup.TRACES
    description: ClassVar[str] = "Show where a service spends its time."

    class Arguments(PagedArguments):
        service: str = Field(description="Name of a service.")

    def respond(self, context: ToolContext, given: Any) -> str:
        if given.service == "cart":
            return f"{given.service} at {context.now():.0f}"
        if given.service == "web":
            raise ToolError("web sends no profiles; there are: cart")
        raise LookupError(given.service)


class Kubectl(Profile):
    """Called like what every session has."""

    name: ClassVar[str] = "kubectl"


class SessionToolContext:
    on_call = None

    def now(self) -> float:
        return 7.0

    def observe(self, service: str, path: str, query: Any = ()) -> Any:
        raise AssertionError(service)


@pytest.fixture
def bench_with(register_plugin: LocalPlugins) -> Callable[..., ComponentFactory]:
    def factory(*offered: type[SessionTool]) -> ComponentFactory:
        def sregym_register_tools() -> list[Registration]:
            return [Registration(one.name, one) for one in offered]

        return ComponentFactory(Settings(), register_plugin(sregym_register_tools).plugins)

    return factory


def test_they_stand_before_the_submission(bench_with: Callable[..., ComponentFactory]) -> None:
    tools = bench_with(Profile).toolset.tools()
    assert [(tool.name, tool.reads_only) for tool in tools] == [
        ("kubectl", False),
        ("wait", True),
        ("profile", True),
        ("status", True),
        ("submit", False),
    ]
    assert tools[2].parameters == {
        "type": "object",
        "properties": {
            "page": {
                "default": 1,
                "minimum": 1,
                "type": "integer",
                "description": PagedArguments.model_fields["page"].description,
            },
            "service": {"type": "string", "description": "Name of a service."},
        },
        "required": ["service"],
        "additionalProperties": False,
    }


def answered(service: str) -> Any:
    toolset = Toolset([Profile()])
    return toolset.respond(
        "profile", SessionToolContext(), toolset.validated("profile", {"service": service})
    )


def test_what_they_say_and_cannot_say_is_for_the_model() -> None:
    said = answered("cart"), answered("web")
    assert [(one.text, one.ok) for one in said] == [
        ("cart at 7", True),
        ("web sends no profiles; there are: cart", False),
    ]


def test_what_else_they_raise_is_the_tools() -> None:
    with pytest.raises(PluginError) as told:
        answered("geo")
    place = str(told.value).partition(" (")
    assert place[0] == "tool 'profile' raised LookupError: geo"
    assert "test_tools_of_plugins.py:" in place[2]


def test_one_called_like_the_sessions_own_is_refused(
    bench_with: Callable[..., ComponentFactory],
) -> None:
    factory = bench_with(Kubectl)
    owner = factory.registry.owner("tool", "kubectl")
    with pytest.raises(PluginClashError) as told:
        _ = factory.toolset
    assert str(told.value) == (
        f"tool 'kubectl' of {owner.owner} is called like one that each session has; "
        f"uninstall it or set SREGYM_DISABLE={owner.name}"
    )


def test_without_arguments_of_its_own_a_tool_takes_none() -> None:
    assert SessionTool.Arguments is ToolArguments
    assert ToolArguments.model_fields == {}
