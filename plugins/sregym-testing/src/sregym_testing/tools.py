"""The contract of tools that agents observe with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.interfaces import ClusterError, ServiceAnswer, SessionTool, ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOW_S = 1_767_225_600.0  # 2026-01-01T00:00:00Z


class ScriptedServices:
    """Services of observability that all give the same answer, or are not there.

    Args:
        answer: What each gives; None for services that cannot be reached.
    """

    def __init__(self, answer: ServiceAnswer | None) -> None:
        self._answer = answer
        self.asked: list[tuple[str, str, tuple[tuple[str, str], ...]]] = []

    def now(self) -> float:
        """The first second of 2026."""
        return NOW_S

    def observe(
        self, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """Note what is asked, and answer."""
        self.asked.append((service, path, tuple(query)))
        if self._answer is None:
            raise ClusterError(0, "", f"{service} cannot be reached")
        return self._answer


class ToolContract:
    """Override `tool`, and `arguments` where it cannot be called with none."""

    @pytest.fixture
    def tool(self) -> SessionTool:
        """The tool under test."""
        raise NotImplementedError("override the fixture `tool`")

    @pytest.fixture
    def arguments(self) -> Mapping[str, Any]:
        """Arguments with which it can be called."""
        return {}

    def test_a_model_is_told_what_it_takes(self, tool: SessionTool) -> None:
        """The tool and each of its arguments are described."""
        assert tool.description.endswith(".")
        fields = tool.Arguments.model_fields
        assert [name for name, field in fields.items() if not field.description] == []

    def test_services_that_are_away_are_told(
        self, tool: SessionTool, arguments: Mapping[str, Any]
    ) -> None:
        """It says so, to the model, and raises nothing else."""
        services = ScriptedServices(None)
        with pytest.raises(ToolError) as told:
            tool.respond(services, tool.Arguments.model_validate(arguments))
        assert services.asked
        assert str(told.value)

    def test_what_a_service_refuses_is_told(
        self, tool: SessionTool, arguments: Mapping[str, Any]
    ) -> None:
        """In the service's own words."""
        services = ScriptedServices(ServiceAnswer(503, b'{"error": "too much to do"}'))
        with pytest.raises(ToolError, match="too much to do"):
            tool.respond(services, tool.Arguments.model_validate(arguments))
