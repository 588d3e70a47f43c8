"""The shop with two programs more; its own YAML files say only what comes besides."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_apps.manifests import load_manifests
from sregym_apps.notes import load_notes
from sregym_core.model import ObjectRef
from typing_extensions import override

from sregym_app_astronomy_shop.application import AstronomyShop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_apps.notes import ComponentNotes
    from sregym_core.interfaces import Vocabulary
    from sregym_core.lint import Defect

_HERE = files("sregym_app_astronomy_shop") / "fulfillment"


class AstronomyShopFulfillment(AstronomyShop):
    """Astronomy Shop whose orders go on to a warehouse: order-stream sends them, orders-validator takes them."""

    name: ClassVar[str] = "astronomy-shop-fulfillment"
    title: ClassVar[str] = "Astronomy Shop with fulfillment of orders"
    description: ClassVar[str] = AstronomyShop.description.replace(
        "cart keeps its data",
        "For the warehouse, order-stream sends an order every two seconds to topic orders-fulfillment;\n"
        "orders-validator takes them one after the other and writes what is valid to topic\n"
        "orders-processed. cart keeps its data",
    )

    @override
    def service_models(self) -> tuple[Any, ...]:
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import parse_service_model

        file = _HERE / "service_model.yaml"
        # The first that knows an image counts: its broker has further topics.
        own = parse_service_model(file.read_text(encoding="utf-8"), file.name)
        return (own, *super().service_models())

    @override
    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        # The folder is the other's; what comes besides is no application by itself.
        return AstronomyShop().lint(vocabulary)

    @override
    def _read_objects(self) -> list[KubeObject]:
        own = load_manifests(_HERE / "manifests")
        named = {ObjectRef.of(obj) for obj in own}
        return [*(obj for obj in super()._read_objects() if ObjectRef.of(obj) not in named), *own]

    @override
    def _read_notes(self) -> dict[str, ComponentNotes]:
        own = load_notes(_HERE / "components.yaml")
        return {**super()._read_notes(), **own}
