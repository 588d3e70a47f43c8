"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

_PACKAGE = "sregym_injector_operator"


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("cr-misoperation", f"{_PACKAGE}.cr_misoperation:CrMisoperation"),
    ]
