"""The shop with one thing more that shoppers do; the files beside say only what that adds."""

from __future__ import annotations

import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import yaml
from sregym_apps.copying import copied
from sregym_apps.table import content_of
from sregym_apps.variant import Variant
from sregym_core.model import containers_of
from typing_extensions import override

from sregym_app_astronomy_shop.application import AstronomyShop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.manifests import KubeObject
    from sregym_apps.model import ServiceModel
    from sregym_apps.notes import ComponentNotes

# Who passes a review on, between shoppers and the table.
PATH = ("frontend-proxy", "frontend", "product-reviews")
_RIGHTS = "GRANT SELECT ON ALL TABLES IN SCHEMA reviews TO otelu;"
_WRITING = (
    "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA reviews TO otelu;\n"
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA reviews TO otelu;"
)
_LAST_TASK = "add_to_cart checkout checkout_multi view_image"
_TASK = """
    @task(weight("write_review", 3))
    def write_review(self):
        review = {"username": "user_" + uuid.uuid4().hex[:6], "description": "Good.", "score": random.choice([3, 4, 5])}
        self.ask("write_review", "POST", "/api/product-reviews/" + random.choice(PRODUCTS), json=review)
"""


class AstronomyShopReviews(Variant, AstronomyShop):
    """Astronomy Shop whose shoppers write reviews, which product-reviews inserts into PostgreSQL."""

    name: ClassVar[str] = "astronomy-shop-reviews"
    title: ClassVar[str] = "Astronomy Shop with reviews that shoppers write"
    description: ClassVar[str] = AstronomyShop.description.replace(
        "/api/cart and /api/checkout.",
        "/api/cart,\n/api/checkout and /api/product-reviews/ID (POST: a review, which product-reviews keeps).",
    )
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {**AstronomyShop.load_mix, "WEIGHT_WRITE_REVIEW": (2.4, 3.6)}
    )
    differing: ClassVar[str] = "reviews"

    @override
    def _read_objects(self) -> list[KubeObject]:
        return [_with_reviews(obj) for obj in super()._read_objects()]

    @override
    def _read_notes(self) -> dict[str, ComponentNotes]:
        notes = super()._read_notes()
        for name in (*PATH, "load-generator"):
            operations = (*notes[name].operations, "write_review")
            notes[name] = notes[name].model_copy(update={"operations": operations})
        return notes

    @override
    def _read_model(self) -> ServiceModel:
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import service_model_from

        file = self._folder / "service_model.yaml"
        added = yaml.safe_load((self._own_files() / "additions.yaml").read_text(encoding="utf-8"))
        made = _merged(copy.deepcopy(content_of(file)), {"application": self.name, **added})
        return service_model_from(made, file.name)


def _merged(base: Any, added: Any) -> Any:
    """Mappings with the entries of both, lists with what is added at their end."""
    if isinstance(base, dict) and isinstance(added, dict):
        return {
            **base,
            **{name: _merged(base.get(name), value) for name, value in added.items()},
        }
    return [*base, *added] if isinstance(base, list) and isinstance(added, list) else added


def _with_reviews(given: KubeObject) -> KubeObject:
    """An object of the shop as it is where shoppers write reviews."""
    obj: KubeObject = copied(given)
    kind, name = obj["kind"], obj["metadata"]["name"]
    if kind == "Deployment" and name in PATH:
        obj["spec"]["template"]["spec"]["containers"][0]["image"] = (
            f"ghcr.io/astronomy-shop/{name}:2.2.0-reviews"
        )
    elif (kind, name) == ("Deployment", "load-generator"):
        for container in containers_of(obj):
            container["env"].append({"name": "WEIGHT_WRITE_REVIEW", "value": "3"})
    elif (kind, name) == ("ConfigMap", "load-generator"):
        text = obj["data"]["locustfile.py"]
        obj["data"]["locustfile.py"] = (
            text.replace(_LAST_TASK, f"{_LAST_TASK} write_review").rstrip("\n") + "\n" + _TASK
        )
    elif (kind, name) == ("ConfigMap", "postgresql-init"):
        obj["data"]["init.sql"] = obj["data"]["init.sql"].replace(_RIGHTS, _WRITING)
    return obj
