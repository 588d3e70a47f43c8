"""What a session leaves for the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.conductor.session import LiveSession


def account(session: LiveSession | None) -> dict[str, Any]:
    """Fields of an episode's record; none when there was no session."""
    if session is None:
        return {}
    return {
        "instruction": session.instruction,
        "steps": len(session.transcript),
        "tokens": session.tokens,
        "agent_version": session.agent_version,
        "model": session.model,
        "last_words": session.last_words,
        "transcript": tuple(session.transcript),
        "requests": tuple(session.requests),
        "attempts": tuple(session.attempts),
    }
