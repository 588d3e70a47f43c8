"""Sends requests of random form to the API server in process and says what they broke: nothing.

python benchmarks/api_fuzz.py                       # 100,000 requests from seed 0
python benchmarks/api_fuzz.py --requests 5000 --seed 7

Methods, paths, queries, headers and bodies (JSON, YAML, protobuf, patches of all types, noise) come
from a seed. Every request must get an answer that is no internal error; a request that is refused,
reads or is a dry run must leave the state as it was; every refusal must carry a `Status` object
whose code is that of the answer. Between requests the controllers make what they can of what was
stored. Ends with 1 and the requests in full where one of these did not hold.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson
import yaml
from random_requests import Requests, Sample
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.audit import ENTRIES
from sregym_cluster_embedded.api.builtin import BUILT_IN
from sregym_cluster_embedded.api.request import Connect, Request, Response, Watch
from sregym_cluster_embedded.api.server import handle, served
from sregym_cluster_embedded.assembly import Blueprint, build

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# After so many requests a fresh fork takes the place of the cluster.
LIFE = 1000
# How often the whole state is compared, not only what tells cheaply that nothing was written.
DIGEST_EVERY = 25
BETWEEN_S = 3.0
CODES = {
    "AlreadyExists": 409,
    "BadRequest": 400,
    "Conflict": 409,
    "Expired": 410,
    "Forbidden": 403,
    "Invalid": 422,
    "MethodNotAllowed": 405,
    "NotAcceptable": 406,
    "NotFound": 404,
    "RequestEntityTooLarge": 413,
    "ServiceUnavailable": 503,
    "Timeout": 504,
    "TooManyRequests": 429,
    "Unauthorized": 401,
    "UnsupportedMediaType": 415,
}
# An internal error that a real API server answers, too: nobody may have an address any more.
RANGE_FULL = "failed to allocate a serviceIP: range is full"
DEFINITION = {
    "metadata": {"name": "caches.shop.example"},
    "spec": {
        "group": "shop.example",
        "scope": "Namespaced",
        "names": {"plural": "caches", "kind": "Cache"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.size",
                        "statusReplicasPath": ".status.size",
                    },
                },
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "size": {"type": "integer", "minimum": 1, "default": 1},
                                    "names": {"type": "array", "items": {"type": "string"}},
                                    "port": {"x-kubernetes-int-or-string": True},
                                },
                                "x-kubernetes-validations": [{"rule": "self.size < 10"}],
                            }
                        },
                    }
                },
            }
        ],
    },
}


@dataclass
class Tally:
    """What came of the requests.

    Attributes:
        statuses: How many answers had which HTTP status; watches and streams count as 200.
        broken: Seed-independent descriptions of what did not hold, with the request.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def prepared() -> World:
    """A cluster with a namespace, a custom type and some objects."""
    world = build(Blueprint())
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(world.now + 1)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    headers = {"content-type": "application/json", "accept": "application/json"}
    handle(world, Request("POST", path, (), headers, orjson.dumps(DEFINITION)))
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "registry.example/shop/web:1.0"}]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    for resource, obj in (
        ("deployments.apps", {"spec": spec}),
        ("services", {"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}),
        ("configmaps", {"data": {"a": "b"}}),
        (
            "resourcequotas",
            {"spec": {"hard": {"pods": "50", "requests.cpu": "10", "count/secrets": "9"}}},
        ),
        ("limitranges", {"spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}}),
        (
            "roles.rbac.authorization.k8s.io",
            {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
        ),
        (
            "rolebindings.rbac.authorization.k8s.io",
            {
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "Role",
                    "name": "web",
                },
                "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "shop"}],
            },
        ),
        (
            "persistentvolumeclaims",
            {
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                }
            },
        ),
        (
            "networkpolicies.networking.k8s.io",
            {
                "spec": {
                    "podSelector": {},
                    "policyTypes": ["Ingress"],
                    "ingress": [{"from": [{"podSelector": {"matchLabels": {"a": "b"}}}]}],
                }
            },
        ),
        (
            "ingresses.networking.k8s.io",
            {
                "spec": {
                    "rules": [
                        {
                            "host": "a.example",
                            "http": {
                                "paths": [
                                    {
                                        "path": "/",
                                        "pathType": "Prefix",
                                        "backend": {
                                            "service": {"name": "web", "port": {"number": 80}}
                                        },
                                    }
                                ]
                            },
                        }
                    ]
                }
            },
        ),
        (
            "horizontalpodautoscalers.autoscaling",
            {
                "spec": {
                    "scaleTargetRef": {
                        "apiVersion": "apps/v1",
                        "kind": "Deployment",
                        "name": "web",
                    },
                    "maxReplicas": 3,
                    "metrics": [
                        {
                            "type": "Resource",
                            "resource": {
                                "name": "cpu",
                                "target": {"type": "Utilization", "averageUtilization": 50},
                            },
                        }
                    ],
                }
            },
        ),
        (
            "poddisruptionbudgets.policy",
            {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}},
        ),
        (
            "cronjobs.batch",
            {
                "spec": {
                    "schedule": "* * * * *",
                    "jobTemplate": {
                        "spec": {
                            "template": {
                                "spec": {
                                    "restartPolicy": "Never",
                                    "containers": [
                                        {"name": "c", "image": "registry.example/shop/web:1.0"}
                                    ],
                                }
                            }
                        }
                    },
                }
            },
        ),
        (
            "statefulsets.apps",
            {
                "spec": {
                    "serviceName": "web",
                    "replicas": 1,
                    "selector": {"matchLabels": {"app": "set"}},
                    "template": {"metadata": {"labels": {"app": "set"}}, "spec": template["spec"]},
                }
            },
        ),
    ):
        internal_client.create(
            world, resource, {"metadata": {"name": "web", "namespace": "shop"}, **obj}
        )
    world.run_until(world.now + 20)
    return world


def samples(world: World) -> list[Sample]:
    """All objects of a cluster, with their resources."""
    return [(resource, obj) for resource in BUILT_IN for obj in world.store.list(resource.name)]


def run(base: World, requests: int, seed: int) -> Tally:
    """Send `requests` requests to forks of `base`."""
    tally = Tally()
    maker = Requests(seed, samples(base))
    world = base
    for number in range(requests):
        if number % LIFE == 0:
            world = base.fork(seed + number)
        request = maker.one()
        whole = number % DIGEST_EVERY == 0
        before = _trace(world, whole)
        try:
            answer = served(world, request)
        except Exception as error:  # whatever it is, it is what is looked for
            tally.broken.append(f"{error!r} at {_line(error)} on {request}")
            continue
        tally.statuses[answer.status if isinstance(answer, Response) else 200] += 1
        why = _wrong(answer, request)
        if not why and _must_not_change(answer, request) and _trace(world, whole) != before:
            why = "the state changed"
        if why:
            tally.broken.append(f"{why}: {answer} on {request}")
        if number % 50 == 49:
            try:
                world.run_until(world.now + BETWEEN_S)
            except Exception as error:
                tally.broken.append(
                    f"controllers: {error!r} at {_line(error)} within 50 requests to {request}"
                )
                world = base.fork(seed + number)
    return tally


def _line(error: BaseException) -> str:
    """Where an exception came from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno}"


def _trace(world: World, whole: bool) -> object:
    """What tells that something was written; the whole state where asked."""
    return (world.store.revision, len(world.store.history), _state(world) if whole else "")


def _state(world: World) -> str:
    """The digest of all but the audit log, in which refused requests stand, too."""
    twin = world.fork(0)
    twin.table(ENTRIES).clear()
    return twin.digest()


def _must_not_change(answer: Response | Watch | Connect, request: Request) -> bool:
    if not isinstance(answer, Response) or answer.status >= 400:
        return True
    return request.method in ("GET", "HEAD") or "All" in request.parameters("dryRun")


def _wrong(answer: Response | Watch | Connect, request: Request) -> str:
    """What is wrong with an answer by itself; empty when nothing is."""
    if not isinstance(answer, Response) or answer.status < 400:
        return ""
    if answer.content_type.startswith("text/plain"):
        health = request.path.lstrip("/").partition("/")[0] in ("healthz", "livez", "readyz")
        return "" if answer.status == 404 or health else "a refusal without a Status"
    if answer.content_type == "application/yaml":
        status = yaml.safe_load(answer.body)
    else:
        status = orjson.loads(answer.body)
    if status.get("kind") != "Status" or status.get("status") != "Failure":
        return "a refusal without a Status"
    if status.get("code") != answer.status or not status.get("message"):
        return "a Status that does not fit"
    if status["message"].endswith(RANGE_FULL):
        return ""
    if status.get("reason") and CODES.get(status["reason"]) != answer.status:
        return "an unknown reason, or the reason of another code"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="how many failures to print")
    options = parser.parse_args(arguments)
    started = time.process_time()
    tally = run(prepared(), options.requests, options.seed)
    listed = ", ".join(f"{count} x {status}" for status, count in sorted(tally.statuses.items()))
    print(f"{options.requests} requests in {time.process_time() - started:.0f} s CPU: {listed}")
    for text in tally.broken[: options.show]:
        print(f"BROKEN {text}")
    print(f"{len(tally.broken)} broken")
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
