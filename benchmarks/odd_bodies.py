"""Values that are odd for the fields they stand in: what requests of random form are spoilt with."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

# Of any field.
ODD: tuple[Any, ...] = (
    *(None, "", 0, -1, 1.5, True, [], {}, "x", [None], [{}], [1], {"a": None}, {"": ""}, [[]]),
    *(2**31, 2**53 + 1, 2**63, -(2**63), 2**64, 1e308, -0.0, 1e-9, "NaN", "null", "a/b", "/", ".."),
    *("é", "日本語", "\ud800", "\x00", "\u202e", "a\nb", "x" * 70, "x" * 300, "x" * 70_000, " ", "%s"),
    *({"$patch": "delete"}, {"$patch": "replace"}, {"$patch": 1}, {"$retainKeys": ["a"]}, {"$retainKeys": 1}),
    *({"$setElementOrder/containers": [{"name": "c"}]}, {"$deleteFromPrimitiveList/finalizers": [1]}),
    *([{"$patch": "replace"}], [{"name": "c", "$patch": "delete"}], {"a": {"b": {"c": {"d": []}}}}),
)  # fmt: skip
QUANTITIES: tuple[Any, ...] = (
    *("1e", "0x10", "-1", "1Ei", "9" * 40, 1.5, "100m", "", None, 0, 2**70, "1e3", "1E", "1k", "1K"),
    *("1.5Gi", "+1", ".5", "1.", "1_0", "\uff11", "1 Gi", "NaN", "inf", "1e999", "-0", "1n", "0.0000000001", True, [], {}),
)  # fmt: skip
RESOURCES = (
    *("cpu", "memory", "pods", "requests.cpu", "limits.memory", "count/pods", "count/deployments.apps"),
    *("count/", "count/a.b.c", "requests.storage", "services.loadbalancers", "requests.example.com/gpu"),
    *("gold.storageclass.storage.k8s.io/requests.storage", "", "/", "a b", "hugepages-2Mi", "x" * 300, "ephemeral-storage", "count/secrets"),
)  # fmt: skip
SCOPES = (
    "BestEffort",
    "NotBestEffort",
    "Terminating",
    "NotTerminating",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "x",
    "",
    1,
    None,
)
WORDS = (
    *("*", "", "get", "list", "pods", "pods/log", "*/scale", "apps", "a", "/healthz", "/*", "x" * 300, "\ud800"),
    *(1, None, [], {}, True, "secrets", "nodes", "escalate", "bind", "impersonate"),
)  # fmt: skip
FIELD_KEYS = (
    *("f:metadata", "f:spec", "f:data", "f:a", ".", "f:", "k:", "v:", "i:", "i:0", "i:x", "i:-1", "x", "", "f:labels"),
    *('k:{"name":"c"}', 'k:{"name":1}', "k:{}", "k:[]", "k:{", "k:null", 'v:"a"', "v:1", "v:{", "v:null", "f:containers"),
    *("f:template", "f:ports", 'k:{"port":80,"protocol":"TCP"}', 'k:{"a":{"b":1}}', "f:\ud800", "F:spec", "f:status"),
)  # fmt: skip
TIMES = (
    *("2026-01-01T00:00:00Z", "2026-01-01", "now", "", 0, None, "0000-00-00T00:00:00Z", "9999-12-31T23:59:59Z"),
    *("2026-13-01T00:00:00Z", "2026-01-01T00:00:00+25:00", "2026-01-01T00:00:00.123456789Z", [], {}, "2026-02-30T00:00:00Z", "2026-01-01t00:00:00z"),
)  # fmt: skip


class OddBodies:
    """Makes parts of objects that are odd, from a source of chance.

    Args:
        chance: The source.
    """

    def __init__(self, chance: random.Random) -> None:
        self._random = chance

    def value(self) -> Any:
        """Any odd value."""
        return self._pick(self._pick((ODD, QUANTITIES)))

    def spoil(self, obj: dict[str, Any], kind: str) -> None:
        """Make some of an object odd, where its kind has most to understand."""
        makers = [self._metadata, self._metadata, self._anywhere, self._anywhere]
        by_kind = {
            "ResourceQuota": self._quota,
            "LimitRange": self._limits,
            "Role": self._rules,
            "ClusterRole": self._rules,
            "RoleBinding": self._binding,
            "ClusterRoleBinding": self._binding,
        }
        if kind in by_kind:
            makers += [by_kind[kind]] * 6
        self._pick(makers)(obj)

    def _pick(self, values: Any) -> Any:
        chosen = self._random.choice(values)
        return deepcopy(chosen) if isinstance(chosen, dict | list) else chosen

    def _some(self, make: Any, most: int = 3) -> list[Any]:
        return [make() for _ in range(self._random.randint(0, most))]

    def _odd(self, value: Any, share: float = 0.15) -> Any:
        return self._pick(ODD) if self._random.random() < share else value

    def _metadata(self, obj: dict[str, Any]) -> None:
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict):
            return
        makers: dict[str, Any] = {
            "managedFields": lambda: self._some(self._managed),
            "ownerReferences": lambda: self._some(self._owner),
            "finalizers": lambda: self._some(lambda: self._pick(WORDS)),
            "annotations": lambda: {
                str(self._pick(WORDS))[:80]: self._pick(WORDS) for _ in range(2)
            },
            "labels": lambda: {str(self._pick(WORDS))[:80]: self._pick(WORDS) for _ in range(2)},
            "generateName": lambda: self._pick(WORDS),
            "creationTimestamp": lambda: self._pick(TIMES),
            "deletionTimestamp": lambda: self._pick(TIMES),
            "deletionGracePeriodSeconds": lambda: self._pick(ODD),
            "resourceVersion": lambda: self._pick(("0", "1", "x", "-1", "9" * 30, 1, None, "")),
            "uid": lambda: self._pick(ODD),
            "generation": lambda: self._pick(ODD),
            "name": lambda: self._pick(ODD),
            "namespace": lambda: self._pick(("shop", "default", "", None, 1, "é", "x" * 300)),
        }
        name = self._pick([*makers, "managedFields", "managedFields", "ownerReferences"])
        metadata[name] = self._odd(makers[name]())

    def _managed(self) -> Any:
        entry = {
            "manager": self._pick(("me", "kubectl", "", None, 1, "x" * 200, "\n", "é")),
            "operation": self._pick(("Apply", "Update", "apply", "", None, 1)),
            "apiVersion": self._pick(
                ("v1", "apps/v1", "", None, "a/b/c", 1, "rbac.authorization.k8s.io/v1")
            ),
            "time": self._pick(TIMES),
            "fieldsType": self._pick(("FieldsV1", "FieldsV1", "FieldsV2", "", None, 1)),
            "fieldsV1": self._odd(self._fields(0)),
            "subresource": self._pick(("", "status", "scale", None, 1)),
        }
        for name in [name for name in entry if self._random.random() < 0.15]:
            del entry[name]
        return self._odd(entry, 0.08)

    def _fields(self, depth: int) -> dict[str, Any]:
        if depth > 4:
            return {}
        return {
            self._pick(FIELD_KEYS): self._odd(self._fields(depth + 1), 0.1)
            for _ in range(self._random.randint(0, 3))
        }

    def _owner(self) -> Any:
        entry = {
            "apiVersion": self._pick(("v1", "apps/v1", "", None, "a/b/c", 1)),
            "kind": self._pick(("Pod", "ReplicaSet", "Event", "", None, 1)),
            "name": self._pick(("web", "", None, 1, "x" * 300)),
            "uid": self._pick(("11111111-1111-4111-8111-111111111111", "", None, 1)),
            "controller": self._pick((True, False, None, 1, "true")),
            "blockOwnerDeletion": self._pick((True, None, "x")),
        }
        for name in [name for name in entry if self._random.random() < 0.15]:
            del entry[name]
        return self._odd(entry, 0.1)

    def _amounts(self) -> Any:
        return {
            self._pick(RESOURCES): self._pick(QUANTITIES) for _ in range(self._random.randint(0, 3))
        }

    def _quota(self, obj: dict[str, Any]) -> None:
        def expression() -> Any:
            return {
                "scopeName": self._pick(SCOPES),
                "operator": self._pick(("In", "NotIn", "Exists", "DoesNotExist", "x", None, 1)),
                "values": self._odd(self._some(lambda: self._pick(WORDS))),
            }

        spec: dict[str, Any] = {"hard": self._odd(self._amounts())}
        if self._random.random() < 0.4:
            spec["scopes"] = self._odd(self._some(lambda: self._pick(SCOPES)))
        if self._random.random() < 0.4:
            spec["scopeSelector"] = self._odd(
                {"matchExpressions": self._odd(self._some(expression))}
            )
        obj["spec"] = self._odd(spec, 0.05)
        if self._random.random() < 0.3:
            obj["status"] = self._odd({"hard": self._amounts(), "used": self._odd(self._amounts())})

    def _limits(self, obj: dict[str, Any]) -> None:
        def item() -> Any:
            names = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
            made = {
                name: self._odd(self._amounts()) for name in names if self._random.random() < 0.5
            }
            return {
                "type": self._pick(("Container", "Pod", "PersistentVolumeClaim", "", 1, None, "x")),
                **made,
            }

        obj["spec"] = self._odd({"limits": self._odd(self._some(item))}, 0.05)

    def _rules(self, obj: dict[str, Any]) -> None:
        def words() -> Any:
            return self._odd(self._some(lambda: self._pick(WORDS)))

        def rule() -> Any:
            names = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
            return self._odd({name: words() for name in names if self._random.random() < 0.7}, 0.08)

        obj["rules"] = self._odd(self._some(rule))
        if self._random.random() < 0.3:
            selector = {
                "matchLabels": self._odd({"a": self._pick(WORDS)}),
                "matchExpressions": self._odd(
                    [
                        {
                            "key": self._pick(WORDS),
                            "operator": self._pick(("In", "Exists", "x", 1)),
                            "values": words(),
                        }
                    ]
                ),
            }
            obj["aggregationRule"] = self._odd(
                {"clusterRoleSelectors": self._odd([self._odd(selector)])}
            )

    def _binding(self, obj: dict[str, Any]) -> None:
        def subject() -> Any:
            return self._odd(
                {
                    "kind": self._pick(("ServiceAccount", "User", "Group", "", 1, None)),
                    "name": self._pick(WORDS),
                    "namespace": self._pick(("shop", "", None, 1)),
                    "apiGroup": self._pick(("", "rbac.authorization.k8s.io", "x", 1, None)),
                }
            )

        obj["subjects"] = self._odd(self._some(subject))
        obj["roleRef"] = self._odd(
            {
                "kind": self._pick(("Role", "ClusterRole", "", 1, None)),
                "name": self._pick(WORDS),
                "apiGroup": self._pick(("rbac.authorization.k8s.io", "", 1, None)),
            }
        )

    def _anywhere(self, obj: dict[str, Any]) -> None:
        """Another value at any depth: all places are equally likely."""
        places: list[tuple[Any, Any]] = []
        waiting: list[Any] = [obj]
        while waiting:
            value = waiting.pop()
            keys = list(value) if isinstance(value, dict) else range(len(value))
            for key in keys:
                if value is obj and key in ("kind", "apiVersion"):
                    continue
                places.append((value, key))
                if isinstance(value[key], dict | list):
                    waiting.append(value[key])
        if places:
            holder, key = self._pick(places)
            holder[key] = self._pick(ODD) if self._random.random() < 0.8 else self._pick(QUANTITIES)
