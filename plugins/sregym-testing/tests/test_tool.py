"""The contract of tools, on one that keeps it and on some that break it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from pydantic import Field
from sregym_core.interfaces import (
    ClusterError,
    SessionTool,
    ToolArguments,
    ToolContext,
    ToolError,
    ToolGroup,
)
from sregym_testing import ToolContract


class Builds(SessionTool):
    """Which builds run."""

    name: ClassVar[str] = "builds"
    group: ClassVar[ToolGroup] = ToolGroup.CLUSTER
    description: ClassVar[str] = "List the builds that run."

    class Arguments(ToolArguments):
        branch: str = Field(default="", description="Only of this branch.")

    def respond(self, context: ToolContext, given: Any) -> str:
        try:
            answer = context.observe("builds", "/api/builds")
        except ClusterError as error:
            raise ToolError(error.message) from error
        if answer.status >= 400:
            raise ToolError(answer.body.decode())
        return answer.body.decode()


class Undescribed(Builds):
    class Arguments(ToolArguments):
        branch: str = ""


class Raising(Builds):
    def respond(self, context: ToolContext, given: Any) -> str:
        return context.observe("builds", "/api/builds").body.decode()


class Silent(Builds):
    def respond(self, context: ToolContext, given: Any) -> str:
        return ""


class TestBuilds(ToolContract):
    @pytest.fixture
    def tool(self) -> SessionTool:
        return Builds()

    def test_every_check_can_fail(self, checks_of) -> None:
        checked = {name for _, name in BROKEN} | {"test_every_check_can_fail"}
        assert checks_of(type(self)) == checked


BROKEN = [
    (Undescribed, "test_a_model_is_told_what_it_takes"),
    (Raising, "test_services_that_are_away_are_told"),
    (Silent, "test_what_a_service_refuses_is_told"),
]


@pytest.mark.parametrize(("made", "check"), BROKEN, ids=[name for _, name in BROKEN])
def test_what_breaks_it_is_found(run_check, made: type[SessionTool], check: str) -> None:
    with pytest.raises((AssertionError, ClusterError, pytest.fail.Exception)):
        run_check(ToolContract, check, tool=made(), arguments={})


def test_the_tool_must_be_given(request: pytest.FixtureRequest) -> None:
    class Forgotten(ToolContract):
        pass

    with pytest.raises(NotImplementedError) as told:
        Forgotten.tool.__wrapped__(Forgotten())
    assert str(told.value) == "override the fixture `tool`"
