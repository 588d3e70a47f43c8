"""What is guessed of objects: programs, listeners, calls, servers, the way in."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_apps.simulation import Installed, installed
from sregym_core.errors import UsageError
from sregym_core.interfaces import Vocabulary
from sregym_dev.importing.cleaning import cleaned
from sregym_dev.importing.container_inputs import parts_of
from sregym_dev.importing.guess import Guess, Guesser
from sregym_dev.importing.known import kind_by_name, kind_by_settings, server_image
from sregym_dev.importing.remarks import Remarks
from sregym_dev.importing.roles import roles_of

WORDS = frozenset({"sh", "bash", "sleep", "nc", "cat", "mkdir", "pg_isready"})
VOCABULARY = Vocabulary(
    WORDS, {"debian": WORDS - {"pg_isready"}}, {"docker.io/library/busybox": ("latest",)}
)


def service(name: str, port: int, target: Any = None, **more: Any) -> dict[str, Any]:
    entry = {"port": port} | ({"targetPort": target} if target else {})
    spec = {"selector": {"app": name}, "ports": [entry], **more}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def workload(name: str, image: str, kind: str = "Deployment", **container: Any) -> dict[str, Any]:
    env = [{"name": n, "value": v} for n, v in container.pop("env", {}).items()]
    ports = [{"containerPort": number} for number in container.pop("ports", ())]
    pod = container.pop("pod", {})
    one = {"name": "main", "image": image, "env": env, "ports": ports, **container}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [one], **pod}}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    spec = {"template": template}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def guessed(*objects: dict[str, Any]) -> tuple[Guess, list[str]]:
    remarks = Remarks()
    guess = Guesser(cleaned(objects, "shop", remarks), "shop", VOCABULARY, remarks).guess()
    return guess, [str(one) for one in remarks]


def test_calls_by_variables_flags_and_files() -> None:
    settings = {"url": "http://stock:7000/v1", "title": "stock"}
    guess, remarks = guessed(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "front"},
            "data": {"app.yaml": yaml.safe_dump(settings)},
        },
        service("front", 80, 8080, type="NodePort"),
        workload(
            "front",
            "acme/front:2",
            env={"PORT": "8080", "CART_HOST": "cart", "CART_PORT": "7070", "MODE": "cart"},
            args=["--quotes=quote.shop.svc:50051", "--title", "stock"],
            ports=[8080],
            volumeMounts=[{"name": "conf", "mountPath": "/etc/app"}],
            pod={"volumes": [{"name": "conf", "configMap": {"name": "front"}}]},
            livenessProbe={"httpGet": {"path": "/live", "port": 8080}},
        ),
        service("cart", 7070),
        workload("cart", "acme/cart:2"),
        service("quote", 50051),
        workload("quote", "acme/quote:2"),
        service("stock", 7000),
        workload("stock", "acme/stock:2"),
    )
    front = guess.model["programs"]["front"]
    assert front["config"] == {
        "port": {"env": "PORT", "type": "integer", "default": 8080},
        "cart_host": {"env": "CART_HOST"},
        "cart_port": {"env": "CART_PORT"},
        "quotes": {"flag": "quotes"},
        "url": {"file": "/etc/app/app.yaml", "key": "url"},
    }
    assert front["clients"] == {
        "cart": {"protocol": "http", "address": "${cart_host}:${cart_port}", "timeout_s": 2},
        "quote": {"protocol": "grpc", "address": "${quotes}", "timeout_s": 2},
        "stock": {"protocol": "http", "address": "${url}", "timeout_s": 2},
    }
    assert front["listeners"] == {"http": {"protocol": "http", "port": "${port}"}}
    assert {name: one["route"] for name, one in front["operations"].items()} == {
        "probe-live": "GET /live",
        "home": "GET /",
        "cart": "GET /cart",
        "quote": "GET /quote",
        "stock": "GET /stock",
    }
    assert front["operations"]["quote"]["calls"] == [
        {
            "call": "quote.Serve",
            "on_error": {"log": [{"level": "error", "text": "quote: ${error}"}]},
        }
    ]
    assert front["startup"][0]["require"] == ["cart_host", "cart_port", "quotes", "url"]
    assert guess.notes == {
        "front": {
            "kind": "service",
            "callers": ["load"],
            "operations": ["home", "cart", "quote", "stock"],
        },
        "cart": {"kind": "service", "callers": ["front"], "operations": ["cart"]},
        "quote": {"kind": "service", "callers": ["front"], "operations": ["quote"]},
        "stock": {"kind": "service", "callers": ["front"], "operations": ["stock"]},
        "load": {"kind": "load"},
    }
    assert guess.model["programs"]["load"]["mix"]["home"] == {"weight": 3, "request": "GET /"}
    assert remarks == [
        "guessed: Service/front: users come in here, port 80: it is of type NodePort"
    ]


def test_databases_with_accounts_by_address_or_beside_it() -> None:
    guess, remarks = guessed(
        service("web", 80),
        workload(
            "web",
            "acme/web",
            env={
                "DATABASE_URL": "postgres://me:pw@db:5432/sales?sslmode=disable",
                "CACHE": "x",
                "REDIS_URL": "redis://cache/0",
            },
        ),
        service("worker", 80),
        workload(
            "worker",
            "acme/worker",
            env={"DB_HOST": "db", "DB_USER": "me", "DB_PASSWORD": "pw", "DB_NAME": "other"},
        ),
        service("db", 5432),
        workload(
            "db",
            "postgres:15.3",
            kind="StatefulSet",
            env={"POSTGRES_USER": "me", "POSTGRES_PASSWORD": "pw", "POSTGRES_DB": "sales"},
        ),
        service("cache", 6379),
        workload(
            "cache", "docker.io/library/redis:7.0.15", resources={"limits": {"memory": "8Mi"}}
        ),
    )
    web = guess.model["programs"]["web"]
    assert web["clients"] == {
        "db": {
            "protocol": "postgres",
            "address": "${database_url}",
            "database": "sales",
            "timeout_s": 3,
        },
        "cache": {"protocol": "keyvalue", "address": "${redis_url}", "timeout_s": 3},
    }
    assert [next(iter(step.items())) for step in web["startup"][1:4]] == [
        ("dial", "db"),
        ("seed", "db.records"),
        ("dial", "cache"),
    ]
    assert guess.model["programs"]["worker"]["clients"]["db"] == {
        "protocol": "postgres",
        "address": "${db_host}",
        "user": "${db_user}",
        "password": "${db_password}",
        "database": "sales",
        "timeout_s": 3,
    }
    assert guess.model["programs"]["postgres"] == {"kind": "postgres", "version": "15.3"}
    assert guess.kinds == ["postgres", "redis"]
    assert {name: note["kind"] for name, note in guess.notes.items()} == {
        "web": "service",
        "worker": "service",
        "db": "datastore",
        "cache": "cache",
        "load": "load",
    }
    assert "guessed: Deployment/worker: its database is 'sales', since nothing in the files makes 'other'" in remarks  # fmt: skip


def test_objects_that_an_application_cannot_have() -> None:
    remarks = Remarks()
    objects = [
        {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "kube-system"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "ownerReferences": [{"kind": "ReplicaSet", "name": "r"}]}},
        {"apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "i"}},
        {"apiVersion": "acme.io/v1", "kind": "Ledger", "metadata": {"name": "main"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t", "annotations": {"helm.sh/hook": "test"}}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": {}}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n"}, "spec": {"containers": [{"name": "x"}]}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default", "uid": "1"}, "data": {"a": "chaos at db.default.svc"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "bare"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "far", "namespace": []}},
        workload("torn", "acme/web", livenessProbe={"httpGet": 7}),
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "odd"}, "spec": {"ports": [{"port": "http"}]}},
        {**service("web", 80), "spec": {"clusterIP": "10.0.0.7", "ports": [{"port": 80}]}},
        {**workload("web", "acme/web", pod={"nodeSelector": {"pool": "big"}}), "metadata": {"name": "web", "annotations": {"linkerd.io/inject": "enabled"}}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "v"}, "spec": {"storageClassName": "gp2", "volumeName": "pv-1"}},
    ]  # fmt: skip
    found = cleaned(objects, "shop", remarks)
    assert [(one["kind"], one["metadata"].get("namespace")) for one in found] == [
        ("ConfigMap", "shop"),
        ("Service", "shop"),
        ("Deployment", "shop"),
        ("PersistentVolumeClaim", "shop"),
        ("Namespace", None),
    ]
    assert found[0] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "shop"},
        "data": {"a": "chaos at db.shop.svc"},
    }
    assert [str(one) for one in remarks] == [
        "left out: Event/e: clusters make it themselves",
        "left out: Secret/s: stands in the namespace 'kube-system' of the cluster itself",
        "left out: Pod/p: ReplicaSet/r makes it",
        "left out: Ingress/i: extensions/v1beta1 has gone from Kubernetes",
        "left out: Ledger/main: no CustomResourceDefinition of Ledger in acme.io is among the files, and "
        "what its operator makes of it is not known",
        "left out: Pod/t: Helm runs it as the hook 'test' alone",
        "left out: Deployment/d: has no containers",
        "left out: Pod/n: container 0 of its pods has no name or no image",
        "changed: ConfigMap/c: stands in the namespace 'shop' in place of 'default'",
        "guessed: ConfigMap/c: has the word 'chaos', which the contract test refuses; reword it",
        "left out: ConfigMap/c: stands twice; the first counts",
        "left out: Service/bare: has no 'spec'",
        "left out: Secret/far: its namespace is no text",
        "left out: Deployment/torn: a field of it has another form than Kubernetes gives it: 'int' object "
        "has no attribute 'get'",
        "left out: Service/odd: a port of it has no number",
        "left out: Service/web: its clusterIP, which is one of another cluster",
        "left out: Deployment/web: its annotation 'linkerd.io/inject': the word would mislead agents",
        "left out: Deployment/web: its nodeSelector 'pool': nodes of other clusters have no such label",
        "left out: PersistentVolumeClaim/v: its storage class 'gp2': the default of the cluster is taken",
        "left out: PersistentVolumeClaim/v: its volumeName, which is one of another cluster",
    ]


def test_work_that_ends_and_calls_in_a_circle() -> None:
    guess, remarks = guessed(
        service("web", 80, type="LoadBalancer"),
        workload("web", "acme/web", env={"API_URL": "http://api", "GONE_URL": "http://api:81"}),
        service("api", 80),
        workload(
            "api",
            "acme/api",
            command=["python", "app.py"],
            env={"WEB_URL": "http://web"},
            pod={
                "initContainers": [
                    {"name": "same", "image": "acme/api", "command": ["python", "migrate.py"]},
                    {
                        "name": "lib",
                        "image": "acme/api",
                        "command": ["sh", "-c", ". /opt/lib.sh; go"],
                    },
                    {"name": "wait", "image": "busybox", "command": ["sh", "-c", "nc -z db 1"]},
                ]
            },
            readinessProbe={"exec": {"command": ["/bin/check", "-v"]}},
        ),
        workload("load-all", "acme/load:1", kind="Job", command=["/fill"]),
    )
    (api,) = [obj for obj in guess.objects if obj["metadata"]["name"] == "api" and "template" in obj["spec"]]  # fmt: skip
    left = [one["name"] for one in api["spec"]["template"]["spec"]["initContainers"]]
    assert left == ["wait"]
    images = {one["repository"]: one for one in guess.model["images"]}
    assert images["acme/api"] == {
        "repository": "acme/api",
        "tags": ["latest"],
        "size_mib": 60,
        "cmd": ["sh"],
        "binaries": {"/usr/local/bin/python": "api"},
        "tools": ["debian", "busybox"],
        "files": {"/bin/check": "#!/bin/sh\nexit 0\n"},
    }
    assert guess.model["programs"]["load-all"]["startup"] == [{"log": "done"}, {"exit": 0}]
    assert remarks == [
        "left out: Deployment/api, container same: it runs the executable of a service, which would not "
        "end",
        "left out: Deployment/api, container lib: its script needs /opt/lib.sh of its image, which nobody "
        "knows",
        "guessed: Deployment/api: its probe or hook runs /bin/check, which always succeeds here",
        "left out: Deployment/web: variable GONE_URL names api:81, and Service api has no such port (it "
        "has 80)",
        "left out: Deployment/api: its call of web: that one calls it already, directly or through others",
        "guessed: Service/web: users come in here, port 80: it is of type LoadBalancer",
        "guessed: load-all: no request of users is known to pass through",
    ]


def test_server_kinds_that_are_missing_or_known_by_signs() -> None:
    remarks = Remarks()
    parts = parts_of(
        cleaned(
            [
                workload("queue", "bitnami/kafka:3.7", ports=[9092]),
                workload("books", "acme/books-db:1", env={"MYSQL_ROOT_PASSWORD": "x"}),
                workload("carts", "acme/carts-store:1", ports=[6379]),
            ],
            "shop",
            remarks,
        )
    )
    known = Installed(
        one for one in installed()._found if one.status.name in ("server-redis", "server-sql")
    )
    roles = roles_of(parts, VOCABULARY, remarks, known)
    assert [(role.kind, role.server.kind if role.server else "") for role in roles] == [
        ("program", ""),
        ("server", "mysql"),
        ("server", "redis"),
    ]
    assert [str(one) for one in remarks] == [
        "guessed: Deployment/queue: image bitnami/kafka:3.7 is a server of kind 'kafka', which is not "
        "installed: is its plugin missing? Try: pip install sregym-server-kafka; here it only answers on "
        "its ports",
        "guessed: Deployment/books: image acme/books-db:1 is taken for a server of kind 'mysql' by its "
        "variables and ports",
        "guessed: Deployment/carts: image acme/carts-store:1 is taken for a server of kind 'redis' by its "
        "variables and ports",
    ]


def test_images_of_servers() -> None:
    assert [kind_by_name(one) for one in ("docker.io/bitnami/postgresql:17", "mariadb", "acme/web")] == ["postgres", "mysql", ""]  # fmt: skip
    assert kind_by_settings({"POSTGRES_PASSWORD": "x"}, [8080]) == ""
    found = server_image("bitnami/postgresql:16.2", {"POSTGRESQL_PASSWORD": "pw"})
    assert found is not None
    assert (found.kind, found.official, found.program) == ("postgres", False, {"kind": "postgres", "version": "16.2"})  # fmt: skip
    assert found.image["env"] == {"PGDATA": "/var/lib/postgresql/data", "POSTGRES_PASSWORD": "pw"}
    open_one = server_image("bitnami/postgresql:16.2", {})
    assert open_one is not None
    assert open_one.image["env"]["POSTGRES_HOST_AUTH_METHOD"] == "trust"
    assert server_image("acme/web", {}) is None


def test_nginx_passes_on_what_its_configuration_says() -> None:
    text = (
        "upstream back { server api:8000; }\nserver { listen 80;\n"
        " location /api/ { proxy_pass http://back; }\n location / { root /srv; } }\n"
    )
    guess, remarks = guessed(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf"}, "data": {"default.conf": text}},
        service("edge", 80, type="NodePort"),
        workload(
            "edge", "nginx:1.25.3", volumeMounts=[{"name": "c", "mountPath": "/etc/nginx/conf.d"}],
            pod={"volumes": [{"name": "c", "configMap": {"name": "conf"}}]},
        ),
        service("api", 8000),
        workload("api", "acme/api:1"),
    )  # fmt: skip
    assert guess.model["programs"]["nginx"] == {
        "kind": "http-proxy",
        "flavour": "nginx",
        "version": "1.25.3",
        "port": 80,
        "routes": {
            "api": {"request": "GET /api/*", "upstream": "http://api:8000", "timeout_s": 5, "ask": "GET /"},
            "home": {"request": "GET /*", "answer": {"body": "OK\n"}},
        },
    }  # fmt: skip
    assert guess.notes["api"]["operations"] == ["api"]
    assert remarks == [
        "guessed: Service/edge: users come in here, port 80: it is of type NodePort",
        "guessed: Deployment/edge: nginx answers or passes on /api/*, /*; nothing else of its "
        "configuration counts",
    ]


def test_nobody_can_come_in() -> None:
    with pytest.raises(UsageError) as caught:
        guessed(service("db", 5432), workload("db", "postgres:15"))
    assert str(caught.value) == (
        "--from: no Service of 'shop' leads to a program that answers HTTP, so there is no way in for users; "
        "an application needs one"
    )
