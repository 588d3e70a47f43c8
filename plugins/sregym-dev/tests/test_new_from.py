"""`sregym new app NAME --from PATH`: the package that is made comes up and serves its users."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from sregym_apps.application import ManifestApplication
from sregym_core.errors import ExitCode
from sregym_core.interfaces import ClusterSpec
from sregym_testing import provision_by_name

COMPOSE = """
services:
  site:
    image: acme/site:1.4
    environment: {ORDERS_URL: "http://orders:8080", CACHE_HOST: cache}
    ports: ["8080:3000"]
    healthcheck: {test: ["CMD", "curl", "-f", "http://localhost:3000/healthz"]}
  orders:
    build: ./orders
    expose: [8080]
    environment: {DATABASE_URL: "postgres://shop:${PASSWORD:-pw}@db:5432/shop"}
    depends_on: [db]
  cache: {image: "redis:7.2.4-alpine"}
  db:
    image: postgres:15.6
    environment: {POSTGRES_USER: shop, POSTGRES_PASSWORD: "${PASSWORD:-pw}", POSTGRES_DB: shop}
    volumes: [data:/var/lib/postgresql/data]
    healthcheck: {test: ["CMD-SHELL", "pg_isready -U shop"], interval: 5s}
volumes: {data: {}}
"""


def _deployment(name: str, image: str, **container: Any) -> dict[str, Any]:
    labels = {"app": name}
    spec = {"containers": [{"name": name, "image": image, **container}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def _service(name: str, port: int, **more: Any) -> dict[str, Any]:
    spec = {"selector": {"app": name}, "ports": [{"port": port}], **more}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


MANIFESTS = {
    "k8s/front.json": json.dumps(
        {
            "items": [
                _deployment(
                    "front",
                    "acme/front:2",
                    env=[{"name": "QUOTE_ADDR", "value": "quote:50051"}],
                    readinessProbe={"httpGet": {"path": "/", "port": 8080}},
                ),
                _service("front", 80, type="LoadBalancer"),
            ]
        }
    ).replace('"port": 80}', '"port": 80, "targetPort": 8080}'),
    "k8s/quote.json": json.dumps(
        {
            "items": [
                _deployment("quote", "acme/quote:2", livenessProbe={"grpc": {"port": 50051}}),
                _service("quote", 50051),
            ]
        }
    ),
}


@pytest.mark.parametrize(
    ("files", "source", "operations"),
    [
        ({"compose.yaml": COMPOSE}, "compose.yaml", {"home", "cache", "orders"}),
        (MANIFESTS, "k8s", {"home"}),
    ],
    ids=["compose", "manifests"],
)
def test_what_is_made_comes_up_healthy(
    sregym_project, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], source: str, operations: set[str]
) -> None:  # fmt: skip
    name = f"made-{source.partition('.')[0]}"
    project = sregym_project(files)
    outcome = project.run("new", "application", name, "--from", source).assert_success()
    folder = Path(project.folder) / f"sregym-app-{name}"
    assert "guessed: Service/" in outcome.out
    for line in outcome.out.partition("\n\n")[0].splitlines():
        assert line.partition(": ")[2] in (folder / "IMPORTED.md").read_text()
    monkeypatch.syspath_prepend(str(folder / "src"))
    module = f"sregym_app_{name.replace('-', '_')}"
    application = _application(importlib.import_module(f"{module}.application"))
    assert application.lint() == []
    with provision_by_name("embedded") as provision:
        cluster = provision(ClusterSpec(seed=7, applications=(application,)))
        application.deploy(cluster)
        assert cluster.clock.wait_until(lambda: not application.ready(cluster), 300.0, 5.0)
        cluster.clock.advance(60.0)
        traffic = application.traffic(cluster, 30.0)
        assert set(traffic.operations) == operations
        assert traffic.success_rate == 1.0
        part = application.components()[-1]
        cluster.patch(part.workload, {"spec": {"replicas": 0}}, "merge")
        cluster.clock.advance(60.0)
        assert application.traffic(cluster, 30.0).success_rate < 0.9


def _application(module: Any) -> ManifestApplication:
    (found,) = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]
    made = found()
    assert isinstance(made, ManifestApplication)
    return made


def test_nothing_is_left_of_what_cannot_be_read(sregym_project) -> None:
    project = sregym_project({"compose.yaml": "services:\n  web: {\n"})
    outcome = project.run("new", "app", "shop", "--from", "compose.yaml").assert_exit(
        ExitCode.USAGE
    )
    assert outcome.err == (
        "sregym: --from: compose.yaml:3: not valid YAML: did not find expected node content\n"
    )
    assert [one.name for one in Path(project.folder).iterdir()] == ["compose.yaml"]


def test_only_applications_are_read(sregym_project) -> None:
    project = sregym_project({"k8s/a.yaml": ""})
    outcome = project.run("new", "agent", "shop", "--from", "k8s").assert_exit(ExitCode.USAGE)
    assert outcome.err == ("sregym: --from reads applications; 'agent' is another kind of plugin\n")
