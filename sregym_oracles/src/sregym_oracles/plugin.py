"""Entry point of the toolkit: it says what of a diagnosis an agent had seen, whichever oracle judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import Grounding, StageRecord, ToolCall


@hookimpl
def sregym_ground_diagnosis(
    diagnosis: StageRecord, transcript: Sequence[ToolCall], components: Sequence[str]
) -> Grounding:
    """By the names and values that stand in it and in the answers to the agent's calls."""
    from sregym_oracles.grounding import grounding

    return grounding(diagnosis, transcript, components)
