"""All routes by name, in the order in which they are tried."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from . import api, fakes, forging, guard, machine, moments, rights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .route import Route

_ALL: tuple[Route, ...] = (
    machine.Environment(),
    machine.SessionFolder(),
    machine.RunFolder(),
    machine.Files(),
    machine.WorkingFolders(),
    machine.Processes(),
    machine.Memory(),
    machine.Imports(),
    api.Discovery(),
    api.Lists(),
    api.Named(),
    api.Tools(),
    api.Traces(),
    api.Metadata(),
    api.Telemetry(),
    api.Sums(),
    guard.OtherDoors(),
    guard.Kubeconfigs(),
    guard.Paths(),
    guard.Smuggling(),
    guard.Upgrades(),
    guard.Impersonation(),
    guard.StrangeDoors(),
    guard.OtherSession(),
    rights.NodeAccess(),
    rights.NodeShells(),
    rights.Kubelet(),
    rights.Escalation(),
    rights.FromInside(),
    rights.Webhooks(),
    forging.ForgedToken(),
    forging.ForgedCertificate(),
    forging.Prediction(),
    moments.Moment(),
    fakes.Silence(),
    fakes.NoLoad(),
    fakes.LessLoad(),
    fakes.NoWitnesses(),
    fakes.NoApplication(),
    fakes.Admission(),
    fakes.Clock(),
    fakes.Persuasion(),
    fakes.Shotgun(),
    fakes.Storm(),
    fakes.Malformed(),
    fakes.Exhaustion(),
    fakes.Forgery(),
    fakes.Crash(),
)
ROUTES: Mapping[str, Route] = MappingProxyType({route.name: route for route in _ALL})
