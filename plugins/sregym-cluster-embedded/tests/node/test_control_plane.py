"""What a control plane makes for itself."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.store import Key

RBAC = "rbac.authorization.k8s.io"


def named(shop: Any, resource: str, name: str, namespace: str = "") -> Any:
    return shop.world.store.get(Key(resource, namespace, name))


def rules(shop: Any, name: str) -> Any:
    return named(shop, f"clusterroles.{RBAC}", name)["rules"]


def test_edit_has_what_it_collects_and_what_view_collects(shop: Any) -> None:
    assert rules(shop, "edit") == [
        *rules(shop, "system:aggregate-to-edit"),
        *rules(shop, "system:aggregate-to-view"),
    ]
    role = named(shop, f"clusterroles.{RBAC}", "edit")
    assert role["aggregationRule"] == {
        "clusterRoleSelectors": [
            {"matchLabels": {"rbac.authorization.k8s.io/aggregate-to-edit": "true"}}
        ]
    }
    assert role["metadata"]["labels"] == {
        "kubernetes.io/bootstrapping": "rbac-defaults",
        "rbac.authorization.k8s.io/aggregate-to-admin": "true",
    }


def test_every_kind_of_rule_is_read(shop: Any) -> None:
    assert rules(shop, "cluster-admin") == [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]
    assert rules(shop, "system:controller:legacy-service-account-token-cleaner") == [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "verbs": ["get"],
            "resourceNames": ["kube-apiserver-legacy-service-account-token-tracking"],
        },
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["delete", "patch"]},
    ]
    assert rules(shop, "system:node-problem-detector") == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]},
        {
            "apiGroups": ["", "events.k8s.io"],
            "resources": ["events"],
            "verbs": ["create", "patch", "update"],
        },
    ]


def test_a_controller_has_the_account_that_its_role_is_bound_to(shop: Any) -> None:
    binding = named(shop, f"clusterrolebindings.{RBAC}", "system:controller:job-controller")
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "job-controller", "namespace": "kube-system"}
    ]
    assert named(shop, "serviceaccounts", "job-controller", "kube-system") is not None
    # Without a cloud there are no routes and no load balancers to look after.
    assert named(shop, "serviceaccounts", "route-controller", "kube-system") is None
    assert named(shop, f"clusterroles.{RBAC}", "system:controller:route-controller") is not None


def test_the_role_of_nodes_is_bound_to_nobody(shop: Any) -> None:
    assert "subjects" not in named(shop, f"clusterrolebindings.{RBAC}", "system:node")


def test_local_api_services_are_available(shop: Any) -> None:
    entry = named(shop, "apiservices.apiregistration.k8s.io", "v2.autoscaling")
    assert entry["spec"] == {
        "group": "autoscaling",
        "groupPriorityMinimum": 17500,
        "version": "v2",
        "versionPriority": 30,
    }
    assert [(c["type"], c["status"]) for c in entry["status"]["conditions"]] == [
        ("Available", "True")
    ]


def test_every_flow_schema_names_a_level_that_exists(shop: Any) -> None:
    group = "flowcontrol.apiserver.k8s.io"
    levels = {
        entry["metadata"]["name"]
        for entry in shop.world.store.list(f"prioritylevelconfigurations.{group}")
    }
    used = {
        entry["spec"]["priorityLevelConfiguration"]["name"]
        for entry in shop.world.store.list(f"flowschemas.{group}")
    }
    assert used == levels


def test_subjects_of_flow_schemas_stand_under_their_kind(shop: Any) -> None:
    schemas = shop.world.store.list("flowschemas.flowcontrol.apiserver.k8s.io")
    subjects = [
        subject
        for schema in schemas
        for rule in schema["spec"].get("rules", ())
        for subject in rule["subjects"]
    ]
    fields = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
    assert [set(subject) for subject in subjects] == [
        {"kind", fields[subject["kind"]]} for subject in subjects
    ]
    assert {subject["kind"] for subject in subjects} == set(fields)


def test_each_node_has_its_storage_drivers_listed(shop: Any) -> None:
    node = named(shop, "nodes", "node1")
    entry = named(shop, "csinodes.storage.k8s.io", "node1")
    assert entry["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Node", "name": "node1", "uid": node["metadata"]["uid"]}
    ]


def test_an_address_is_remembered_as_long_as_its_service_has_it(shop: Any) -> None:
    resource = "ipaddresses.networking.k8s.io"
    assert named(shop, resource, "10.96.0.10")["spec"] == {
        "parentRef": {
            "group": "",
            "name": "kube-dns",
            "namespace": "kube-system",
            "resource": "services",
        }
    }
    shop.world.store.delete(Key("services", "kube-system", "kube-dns"))
    assert named(shop, resource, "10.96.0.10") is None


def test_an_imported_image_is_known_by_the_digest_of_its_configuration(shop: Any) -> None:
    pod = shop.pods("kube-system")[0]
    name, _, digest = pod["status"]["containerStatuses"][0]["imageID"].partition(":")
    assert (name, len(digest)) == ("sha256", 64)
