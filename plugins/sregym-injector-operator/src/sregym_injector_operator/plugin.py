"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

_PACKAGE = "sregym_injector_operator"


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("api-slow", f"{_PACKAGE}.api_slow:ApiSlow"),
        Offer("cr-misoperation", f"{_PACKAGE}.cr_misoperation:CrMisoperation"),
        Offer("crd-skew", f"{_PACKAGE}.crd_skew:CrdSkew"),
        Offer("operator-bug", f"{_PACKAGE}.operator_bug:OperatorBug"),
        Offer("webhook-ca", f"{_PACKAGE}.webhooks:WebhookCa"),
        Offer("webhook-denies", f"{_PACKAGE}.webhooks:WebhookDenies"),
        Offer("webhook-mutates", f"{_PACKAGE}.webhooks:WebhookMutates"),
        Offer("webhook-slow", f"{_PACKAGE}.webhooks:WebhookSlow"),
        Offer("actor-recurring", f"{_PACKAGE}.actor_recurring:ActorRecurring"),
        Offer("finalizer-stuck", f"{_PACKAGE}.cleanup:FinalizerStuck"),
        Offer("controller-down", f"{_PACKAGE}.cleanup:ControllerDown"),
    ]
