"""Compose files become ordinary manifests; what has no counterpart is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sregym_dev.importing.compose import from_compose
from sregym_dev.importing.compose_values import Published, interpolated, ports_of, seconds, size
from sregym_dev.importing.remarks import Remarks


def converted(folder: Path, text: str) -> tuple[dict[str, dict[str, Any]], list[str]]:
    remarks = Remarks()
    objects = from_compose(folder / "compose.yaml", text, "shop", remarks)
    found = {f"{obj['kind']}/{obj['metadata']['name']}": obj for obj in objects}
    return found, [str(one) for one in remarks]


def container(found: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    (one,) = found[f"Deployment/{name}"]["spec"]["template"]["spec"]["containers"]
    return dict(one)


def test_service_with_everything(tmp_path: Path) -> None:
    (tmp_path / "app.env").write_text("# mine\nexport LEVEL='info'\n")
    (tmp_path / "app.conf").write_text("listen 80\n")
    (tmp_path / ".env").write_text("TAG=2.1\n")
    found, remarks = converted(
        tmp_path,
        """
services:
  web_app:
    image: "acme/web:${TAG:-1.0}"
    command: serve --port "80"
    working_dir: /srv
    user: "1000:1000"
    env_file: app.env
    environment: {DB: "db:5432", DEBUG: false, SHELL_ONLY: }
    ports: ["8080:80", "53:53/udp"]
    volumes: ["data:/data", "./app.conf:/etc/app.conf:ro", "./src:/srv", /cache]
    tmpfs: /run
    healthcheck: {test: ["CMD", "curl", "-f", "http://localhost/ok"], interval: 1m30s, retries: 4}
    deploy: {replicas: 2, resources: {limits: {memory: 256m, cpus: "0.5"}}}
    gpus: all
""",
    )
    assert container(found, "web-app") == {
        "name": "web-app",
        "image": "acme/web:2.1",
        "args": ["serve", "--port", "80"],
        "workingDir": "/srv",
        "env": [
            {"name": "LEVEL", "value": "info"},
            {"name": "DB", "value": "db:5432"},
            {"name": "DEBUG", "value": "false"},
        ],
        "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
        "readinessProbe": {
            "httpGet": {"path": "/ok", "port": 80},
            "periodSeconds": 30,
            "timeoutSeconds": 5,
            "failureThreshold": 4,
        },
        "resources": {
            "requests": {"cpu": "0.05", "memory": "256Mi"},
            "limits": {"memory": "256Mi", "cpu": "0.5"},
        },
        "volumeMounts": [
            {"name": "data", "mountPath": "/data"},
            {
                "name": "web-app-files-1",
                "mountPath": "/etc/app.conf",
                "subPath": "app.conf",
                "readOnly": True,
            },
            {"name": "scratch-3", "mountPath": "/cache"},
            {"name": "tmp-0", "mountPath": "/run"},
        ],
        "securityContext": {"runAsUser": 1000},
    }
    assert found["Deployment/web-app"]["spec"]["replicas"] == 2
    assert found["Deployment/web-app"]["spec"]["strategy"] == {"type": "Recreate"}
    assert found["ConfigMap/web-app-files-1"]["data"] == {"app.conf": "listen 80\n"}
    assert found["Service/web-app"]["spec"] == {
        "type": "NodePort",
        "selector": {"app": "web-app"},
        "ports": [
            {"name": "tcp-80", "port": 80},
            {"name": "udp-53", "port": 53, "protocol": "UDP"},
        ],
    }
    assert remarks == [
        "changed: service web_app: is 'web-app': Kubernetes takes no other letters",
        "left out: service web_app: gpus: has no counterpart here",
        "guessed: service web_app: volume 'data' is a claim of 1Gi",
        "changed: service web_app: './app.conf' is the ConfigMap web-app-files-1 at /etc/app.conf",
        "left out: service web_app: volume './src' at /srv: there is no such file beside the compose file",
        "left out: service web_app: variable SHELL_ONLY: its value is that of the shell that starts it",
    ]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    found, remarks = converted(
        tmp_path,
        """
include: [other.yaml]
services:
  built: {build: ., ports: ["x:y"], depends_on: [late]}
  late: {image: acme/late, extends: {file: base.yaml, service: late}, network_mode: host}
  tools: {image: acme/tools, profiles: [debug]}
  broken: 7
  torn: {image: acme/torn, deploy: fast}
  once: {image: acme/once, restart: "no", environment: ["A=$UNSET", "B=$$5"], env_file: [gone.env]}
  sealed: {image: acme/sealed, secrets: [key], volumes: ["/var/run/docker.sock:/var/run/docker.sock"]}
secrets: {key: {external: true}}
""",
    )
    assert remarks == [
        "left out: other.yaml: a file that is included; give each file by itself",
        "left out: service late: what it takes by `extends` from {'file': 'base.yaml', 'service': 'late'}",
        "left out: service tools: is started with the profile debug alone",
        "left out: service broken: compose.yaml:7: services.broken: a service is a mapping",
        "guessed: variable UNSET: has no value in the file and none in .env: empty",
        "guessed: service built: it is built from sources; its image is called example.com/shop/built:1.0",
        "left out: service built: ports ['x:y'] cannot be read",
        "guessed: service late: port 8080, where it may be asked",
        "left out: service late: network_mode 'host'",
        "left out: service torn: a field of it has another form than compose files have: 'str' object has no "
        "attribute 'get'",
        "left out: service once: env_file 'gone.env': there is no such file",
        "guessed: service once: is not started again, so it is a Job",
        "left out: service sealed: volume '/var/run/docker.sock' at /var/run/docker.sock: the socket of the "
        "container engine",
        "guessed: service sealed: secrets 'key': its content is not beside the compose file; it is "
        "'changeme'",
    ]
    assert found["Job/once"]["spec"]["template"]["spec"]["containers"][0]["env"] == [
        {"name": "A", "value": ""},
        {"name": "B", "value": "$5"},
    ]
    assert found["Secret/sealed-key"]["data"] == {"key": "Y2hhbmdlbWU="}


def test_known_servers_have_their_ports_and_no_way_in(tmp_path: Path) -> None:
    found, remarks = converted(
        tmp_path,
        "services:\n  db: {image: 'postgres:15', ports: ['5432:5432']}\n  cache: {image: redis}\n",
    )
    assert "type" not in found["Service/db"]["spec"]
    assert found["Service/cache"]["spec"]["ports"] == [{"name": "tcp-6379", "port": 6379}]
    assert remarks == ["guessed: service cache: port 6379, usual for this kind of server"]


@pytest.mark.parametrize(
    ("entry", "ports"),
    [
        ("80", [Published(80)]),
        (8080, [Published(8080)]),
        ("127.0.0.1:9229:9230", [Published(9230, 9229)]),
        ("3000-3001:4000-4001/udp", [Published(4000, 3000, "UDP"), Published(4001, 3001, "UDP")]),
        ({"target": 80, "published": "8080", "protocol": "tcp"}, [Published(80, 8080)]),
    ],
)
def test_ports(entry: Any, ports: list[Published]) -> None:
    assert [*ports_of(entry)] == ports


def test_variables() -> None:
    unset: list[str] = []
    text = "$A ${A} ${B:-b} ${E:-e} ${E-e} ${C-${A}} ${A:+yes} ${N:+yes} ${M:?needed} $$A"
    known = {"A": "a", "E": ""}
    assert interpolated([text], known, unset.append) == ["a a b e  a yes   $A"]
    assert unset == ["M"]


def test_sizes_and_durations() -> None:
    assert [size(text) for text in ("64m", "1g", "2GB", "500k", 1024)] == [
        "64Mi",
        "1Gi",
        "2Gi",
        "500Ki",
        "1024",
    ]
    assert [seconds(text, 7) for text in ("1m30s", "10s", "500ms", "5", "soon", None)] == [90, 10, 1, 5, 7, 7]  # fmt: skip
    with pytest.raises(ValueError, match=r"^much$"):
        size("much")


@pytest.mark.parametrize(
    ("given", "image", "said"),
    [
        (
            "${REPO}/rs-cart:${TAG}",
            "example.com/shop/rs-cart:1.0",
            "guessed: service cart: image '/rs-cart:' lacks what its variables would say; "
            "it is called example.com/shop/rs-cart:1.0",
        ),
        (
            "acme/${TEAM}/cart",
            "acme/cart:latest",
            "guessed: service cart: image 'acme//cart' lacks what its variables would say; "
            "it is called acme/cart:latest",
        ),
        (
            "${IMAGE}",
            "example.com/shop/cart:1.0",
            "guessed: service cart: it names no image; its image is called example.com/shop/cart:1.0",
        ),
        ("host.example:5000/cart", "host.example:5000/cart", ""),
    ],
)
def test_image_with_variables_that_nobody_set(
    tmp_path: Path, given: str, image: str, said: str
) -> None:
    found, remarks = converted(tmp_path, f"services:\n  cart: {{image: '{given}'}}\n")
    assert container(found, "cart")["image"] == image
    assert [one for one in remarks if "service cart" in one] == ([said] if said else [])


def test_server_of_a_team_own_build(tmp_path: Path) -> None:
    text = (
        "services:\n  mongodb: {image: acme/shop-mongodb:2}\n  backup-redis: {image: acme/dump:2}\n"
    )
    found, _ = converted(tmp_path, text)
    assert container(found, "mongodb")["ports"] == [{"containerPort": 27017}]
    assert "ports" not in container(found, "backup-redis")


def test_port_that_only_the_own_health_check_names(tmp_path: Path) -> None:
    text = """
services:
  cart:
    image: acme/cart:2
    healthcheck: {test: [CMD, curl, -f, "http://localhost:8080/health"]}
"""
    found, remarks = converted(tmp_path, text)
    assert container(found, "cart")["ports"] == [{"containerPort": 8080}]
    assert container(found, "cart")["readinessProbe"]["httpGet"] == {
        "path": "/health",
        "port": 8080,
    }
    assert remarks == ["guessed: service cart: port 8080, where it may be asked"]


def test_services_that_meet_on_the_machine(tmp_path: Path) -> None:
    text = """
services:
  search:
    image: acme/search:2
    ports: ["19200:9200"]
    healthcheck: {test: [CMD, curl, -f, "http://host.docker.internal:19200"]}
  web:
    image: acme/web:2
    environment: {SEARCH: "http://host.docker.internal:19200", ELSE: "host.docker.internal:99"}
"""
    found, remarks = converted(tmp_path, text)
    assert container(found, "search")["readinessProbe"]["httpGet"] == {"path": "/", "port": 9200}
    assert container(found, "web")["env"] == [
        {"name": "SEARCH", "value": "http://search:9200"},
        {"name": "ELSE", "value": "host.docker.internal:99"},
    ]
    assert [one for one in remarks if one.startswith("changed")] == [
        "changed: service search: host.docker.internal:19200 is localhost:9200: "
        "pods have no machine in common",
        "changed: service web: host.docker.internal:19200 is search:9200: "
        "pods have no machine in common",
    ]
