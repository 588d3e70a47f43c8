from __future__ import annotations

from sregym_injectors.scope import affected, clients, impact, impact_phrases
from sregym_testing import FullShop

component = FullShop().component


def test_callers_suffer_nearest_first():
    assert affected(FullShop(), component("catalog-db")) == ("catalog", "front")
    assert affected(FullShop(), component("catalog")) == ("front",)
    assert affected(FullShop(), component("front")) == ()  # the load generator stands for users


def test_a_circle_ends():
    looped = component("catalog-db").model_copy(update={"callers": ("catalog-db", "catalog")})
    assert affected(FullShop(), looped) == ("catalog", "front")


def test_clients_are_direct_callers():
    assert clients(FullShop(), component("catalog-db")) == (component("catalog").workload,)
    assert clients(FullShop(), component("front")) == ()


def test_impact():
    assert impact(component("catalog")) == "Requests for browse and buy fail or time out."
    one = component("catalog").model_copy(update={"operations": ("browse",)})
    assert impact(one) == "Requests for browse fail or time out."
    assert impact_phrases(one)[:4] == (
        "browse fails",
        "browse requests fail",
        "browse returns errors",
        "browse is unavailable",
    )
    none = component("visitors")
    assert impact(none) == (
        "Users notice nothing yet: no user-visible operation passes through it."
    )
    assert impact_phrases(none) == ("no user-visible impact", "users are not affected")
