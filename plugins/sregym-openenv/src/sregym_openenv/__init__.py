"""SREGym for OpenEnv: the client and its models; the server is `sregym_openenv.app`."""

from __future__ import annotations

from sregym_openenv.client import SregymEnv
from sregym_openenv.models import SregymAction, SregymObservation, SregymState

__all__ = ["SregymAction", "SregymEnv", "SregymObservation", "SregymState"]
