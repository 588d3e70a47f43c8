"""Clients that a fault restarts: what they hold from before would hide the defect.

Connections outlive the Service they were dialled through, and data loaded at start outlive the
store they came from. Users feel such a defect only after the next start of the clients, so a fault
takes that start, which in a real system comes sooner or later, with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from sregym_injectors import scope
from sregym_injectors.rollouts import Rollout, RolloutParameters, chosen_rollout

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ObjectRef


class ClientParameters(BaseModel):
    """Parameters of faults whose clients may have to restart.

    Attributes:
        restart_clients: Whether the pods of direct callers are restarted. None: where they
            hold earlier state, which the fault decides by the component's kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    restart_clients: bool | None = None


class TemplateParameters(RolloutParameters, ClientParameters):
    """Parameters of faults on pod templates."""


def clients_of(context: FaultContext, *, otherwise: bool | None = None) -> tuple[ObjectRef, ...]:
    """Workloads of the clients that a fault restarts; the load generator is never one.

    Args:
        context: With parameters that are `ClientParameters`.
        otherwise: Whether to restart where the parameter is not set; None: unless the component
            is a plain service, whose callers dial again by themselves. Clients of what no user's
            request depends on are left alone: there is nothing that users could feel.
    """
    component, wanted = context.component, context.parameters.restart_clients
    if wanted is None and chosen_rollout(context) is Rollout.STUCK:
        return ()  # the old pods go on serving: a restart would show nothing
    if wanted is None:
        wanted = component.kind != "service" if otherwise is None else otherwise
        wanted = wanted and bool(component.operations)
    return scope.clients(context.application, component) if wanted else ()
