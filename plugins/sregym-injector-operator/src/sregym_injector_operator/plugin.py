"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

_PACKAGE = "sregym_injector_operator"


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("api-slow", f"{_PACKAGE}.api_slow:ApiSlow"),
        Registration("cr-misoperation", f"{_PACKAGE}.cr_misoperation:CrMisoperation"),
        Registration("crd-skew", f"{_PACKAGE}.crd_skew:CrdSkew"),
        Registration("operator-bug", f"{_PACKAGE}.operator_bug:OperatorBug"),
        Registration("webhook-ca", f"{_PACKAGE}.webhooks:WebhookCa"),
        Registration("webhook-denies", f"{_PACKAGE}.webhooks:WebhookDenies"),
        Registration("webhook-mutates", f"{_PACKAGE}.webhooks:WebhookMutates"),
        Registration("webhook-slow", f"{_PACKAGE}.webhooks:WebhookSlow"),
        Registration("actor-recurring", f"{_PACKAGE}.actor_recurring:ActorRecurring"),
        Registration("finalizer-stuck", f"{_PACKAGE}.cleanup:FinalizerStuck"),
        Registration("controller-down", f"{_PACKAGE}.cleanup:ControllerDown"),
    ]
