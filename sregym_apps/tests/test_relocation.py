from __future__ import annotations

import pytest
from sregym_apps.relocation import Relocation, cluster_wide

moved = Relocation(("shop", "load"), "-2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://front.shop:5000/load", "http://front.shop-2:5000/load"),
        ("front.shop.svc.cluster.local:80", "front.shop-2.svc.cluster.local:80"),
        ("front.shop", "front.shop-2"),
        ("front.shop, cart.shop", "front.shop-2, cart.shop-2"),
        ("--dest=front.shop.svc", "--dest=front.shop-2.svc"),
        ("front.shop.example.com", "front.shop.example.com"),
        ("registry/shop.load/image:1", "registry/shop.load-2/image:1"),
        ("shop", "shop"),
        ("front.shopping", "front.shopping"),
        ("The load is in namespace load.", "The load is in namespace load-2."),
    ],
)
def test_names_of_hosts_are_moved_and_other_words_are_not(text: str, expected: str) -> None:
    assert moved.text(text) == expected


def test_an_object_is_moved_with_all_that_names_a_namespace() -> None:
    binding = {
        "kind": "RoleBinding",
        "metadata": {"name": "load", "namespace": "load"},
        "subjects": [{"kind": "ServiceAccount", "name": "load", "namespace": "shop"}],
    }
    assert moved.object(binding) == {
        "kind": "RoleBinding",
        "metadata": {"name": "load", "namespace": "load-2"},
        "subjects": [{"kind": "ServiceAccount", "name": "load", "namespace": "shop-2"}],
    }
    policy = {"matchLabels": {"kubernetes.io/metadata.name": "shop", "app": "shop"}}
    assert moved.object({"kind": "NetworkPolicy", "metadata": {"name": "a"}, "spec": policy}) == {
        "kind": "NetworkPolicy",
        "metadata": {"name": "a"},
        "spec": {"matchLabels": {"kubernetes.io/metadata.name": "shop-2", "app": "shop"}},
    }
    namespace = {"kind": "Namespace", "metadata": {"name": "shop"}}
    assert moved.object(namespace) == {"kind": "Namespace", "metadata": {"name": "shop-2"}}
    assert namespace["metadata"]["name"] == "shop"


def test_what_two_copies_could_not_both_have() -> None:
    objects = [
        {"kind": "Namespace", "metadata": {"name": "shop"}},
        {"kind": "ClusterRole", "metadata": {"name": "reader"}},
        {"kind": "Service", "metadata": {"name": "front", "namespace": "shop"}},
    ]
    assert cluster_wide(objects) == ["ClusterRole reader"]
