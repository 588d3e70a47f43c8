"""The only place that reads environment variables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Settings:
    """Settings from environment variables.

    Attributes:
        allowed: From `SREGYM_PLUGINS`: load only these plugins; empty loads none, None all.
        disabled: From `SREGYM_DISABLE`: do not load these.
        episode: From `SREGYM_EPISODE`: folder of the session that `sregym submit` talks to.
        state: From `XDG_STATE_HOME`, else below the home: what is remembered from run to run.
        index: From `SREGYM_INDEX`: file or address of the index that `sregym plugins search` reads.
        kubeconfig: From `KUBECONFIG`: where `sregym submit` looks for the session otherwise.
    """

    allowed: frozenset[str] | None = None
    disabled: frozenset[str] = frozenset()
    episode: str = ""
    kubeconfig: str = ""
    state: Path | None = None
    index: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the variables; spaces around names are ignored."""
        variables = os.environ if environment is None else environment
        allowed = variables.get("SREGYM_PLUGINS")
        return cls(
            allowed=None if allowed is None else _names(allowed),
            disabled=_names(variables.get("SREGYM_DISABLE", "")),
            episode=variables.get("SREGYM_EPISODE", ""),
            kubeconfig=variables.get("KUBECONFIG", ""),
            state=_state(variables),
            index=variables.get("SREGYM_INDEX", ""),
        )


def _state(variables: Mapping[str, str]) -> Path | None:
    home = variables.get("HOME", "")
    place = variables.get("XDG_STATE_HOME", "") or (f"{home}/.local/state" if home else "")
    return Path(place) / "sregym" if place else None


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())
