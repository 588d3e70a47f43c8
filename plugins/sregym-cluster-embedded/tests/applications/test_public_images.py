"""Images of public registries: what people start to look around with is there, in any cluster."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest
from sregym_apps.model import Image
from sregym_apps.simulation import installed
from sregym_cluster_embedded.cluster import Embedded
from sregym_cluster_embedded.userland.builtin import builtin_models, public_models
from sregym_cluster_embedded.userland.catalogue import Catalogue
from sregym_cluster_embedded.userland.files.distributions import distributions, release
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_core.interfaces import ClusterSpec, Command


@pytest.fixture(scope="module")
def kubectl() -> Any:
    cluster = Embedded().provision(ClusterSpec())

    def run(*words: str, seconds: float = 0.0) -> str:
        answer = cluster.kubectl(Command(("kubectl", *words)))
        cluster.clock.advance(seconds)
        return answer.stdout + answer.stderr

    yield run
    cluster.close()


@pytest.mark.parametrize(
    ("image", "arguments", "lines"),
    [
        ("curlimages/curl", ("-ks", "-o", "/dev/null", "-w", "%{http_code}", "https://kubernetes/version"), "200"),
        ("curlimages/curl:8.5.0", ("curl", "-s", "http://kubernetes:80/", "--max-time", "2"), ""),
        ("curlimages/curl", ("sh", "-c", "id -un; pwd"), "curl_user\n/home/curl_user"),
        ("busybox:1.36", ("sh", "-c", "nslookup kubernetes | tail -n +4 | head -n 2"), "Name:\tkubernetes.default.svc.cluster.local\nAddress: 10.96.0.1"),
        ("nicolaka/netshoot", ("dig", "+short", "kubernetes.default.svc.cluster.local"), "10.96.0.1"),
        ("ubuntu:24.04", ("bash", "-c", ". /etc/os-release; echo $ID $VERSION_ID"), "ubuntu 24.04"),
        ("alpine", ("cat", "/none"), "cat: can't open '/none': No such file or directory"),
        ("registry.k8s.io/e2e-test-images/jessie-dnsutils:1.3", ("host", "kubernetes.default"), "kubernetes.default.svc.cluster.local has address 10.96.0.1"),
    ],
)  # fmt: skip
def test_tools_run_in_any_cluster(
    kubectl: Any, image: str, arguments: tuple[str, ...], lines: str
) -> None:
    kubectl("run", "box", f"--image={image}", "--restart=Never", "--", *arguments, seconds=40)
    assert kubectl("logs", "box").strip() == lines
    kubectl("delete", "pod", "box", "--now", seconds=5)


def test_a_web_server_serves(kubectl: Any) -> None:
    kubectl("create", "deployment", "site", "--image=nginx:1.27", "--port=80")
    kubectl("expose", "deployment", "site", seconds=40)
    page = kubectl("exec", "deploy/site", "--", "curl", "-s", "http://site")
    assert "<h1>Welcome to nginx!</h1>" in page
    assert "Configuration complete; ready for start up" in kubectl("logs", "deploy/site")


@pytest.mark.parametrize(
    ("image", "env", "words", "said"),
    [
        ("redis:7", "", ("redis-cli", "ping"), "PONG\n"),
        ("mongo:7.0", "", ("mongosh", "--quiet", "--eval", "db.version()"), "7.0.16\n"),
        ("postgres:16", "POSTGRES_PASSWORD=x", ("psql", "-U", "postgres", "-tAc", "select 1"), "1\n"),
        ("mysql:8.0", "MYSQL_ROOT_PASSWORD=x", ("mysql", "-uroot", "-px", "-Ne", "select 1"), "1\nmysql: [Warning] Using a password on the command line interface can be insecure.\n"),
    ],
)  # fmt: skip
def test_datastores_answer(
    kubectl: Any, image: str, env: str, words: tuple[str, ...], said: str
) -> None:
    name = image.partition(":")[0]
    kubectl("run", name, f"--image={image}", *([f"--env={env}"] if env else []), seconds=60)
    assert kubectl("exec", name, "--", *words) == said


def test_what_an_application_says_of_an_image_counts(shop_model: Any) -> None:
    catalogue = Catalogue(
        [*builtin_models(), shop_model, *public_models(installed())], with_in_tree()
    )
    assert [
        known.application if (known := catalogue.find(image)) is not None else None
        for image in ("mongo:4.4.6", "mongo:4.4", "mongo:4.4.7")
    ] == ["shop", "public", None]


@pytest.mark.parametrize(
    ("image", "words", "said"),
    [
        ("python:3.12", ("python3", "--version"), "Python 3.12.11\n"),
        ("node:20-alpine", ("node", "-v"), "v20.19.3\n"),
        ("golang:1.24", ("go", "version"), "go version go1.24.4 linux/amd64\n"),
        ("alpine/k8s:1.33.2", ("kubectl", "version", "--client"), "Client Version: v1.33.2\nKustomize Version: v5.6.0\n"),
        ("httpd:2.4", ("httpd", "-v"), "Server version: Apache/2.4.63 (Unix)\n"),
        ("alpine:3.19", ("cat", "/etc/alpine-release"), "3.19.7\n"),
        ("index.docker.io/library/debian:11", ("cat", "/etc/debian_version"), "11.11\n"),
        ("public.ecr.aws/docker/library/ubuntu:22.04", ("grep", "^VERSION_CODENAME", "/etc/os-release"), "VERSION_CODENAME=jammy\n"),
        ("debian", ("sh", "-c", "ls /var/log; grep ^hosts /etc/nsswitch.conf; stat -c %a /etc/shadow; grep -c . /etc/passwd"), "alternatives.log\napt\nbtmp\ndpkg.log\nfaillog\nlastlog\nwtmp\nhosts:          files dns\n640\n18\n"),
        ("alpine", ("sh", "-c", "ls /var/lib; head -n 1 /etc/apk/repositories"), "apk\nmisc\nudhcpd\nhttps://dl-cdn.alpinelinux.org/alpine/v3.22/main\n"),
        ("busybox", ("sh", "-c", "id mail; ls /etc/os-release"), "uid=8(mail) gid=8(mail) groups=8(mail)\nls: /etc/os-release: No such file or directory\n"),
    ],
)  # fmt: skip
def test_images_are_what_their_tags_say(
    kubectl: Any, image: str, words: tuple[str, ...], said: str
) -> None:
    kubectl("run", "box", f"--image={image}", "--restart=Never", "--", *words, seconds=120)
    assert kubectl("logs", "box") == said
    kubectl("delete", "pod", "box", "--now", seconds=5)


def test_an_interpreter_tells_its_version_and_carries_out_nothing(kubectl: Any) -> None:
    kubectl("run", "py", "--image=python:3.12-slim", "--", "sleep", "9999", seconds=60)
    answers = [
        kubectl("exec", "py", "--", *words)
        for words in (
            ("python3", "-V"),
            ("python3", "-c", "print(1)"),
            ("python3", "app.py"),
            ("sh", "-c", "command -v python3; which pip"),
            ("sh", "-c", "echo | python3; echo $?"),
        )
    ]
    assert answers == [
        "Python 3.12.11\n",
        "python3: cannot execute: it only tells its version here\ncommand terminated with exit code 126\n",
        "python3: can't open 'app.py': No such file or directory\ncommand terminated with exit code 2\n",
        "/usr/local/bin/python3\n/usr/local/bin/pip\n",
        "0\n",
    ]


@pytest.mark.parametrize("image", ["debian", "alpine"])
def test_scripts_are_found_through_path(kubectl: Any, image: str) -> None:
    kubectl("run", image, f"--image={image}", "--", "sleep", "9999", seconds=60)
    make = (
        "mkdir -p /opt/own; printf '#!/bin/sh\\necho $0 $1; exit 3\\n' > /opt/own/hello; "
        "printf '#!/usr/bin/env nothing\\n' > /opt/own/bare; chmod +x /opt/own/*; cp /opt/own/hello /usr/local/bin/; "
        "PATH=/opt/own:$PATH; cd /tmp; hello a; echo $?; command -v hello; (cd /opt/own; ./hello b); bare"
    )
    missing = {
        "debian": "/usr/bin/env: 'nothing': No such file or directory\n",
        "alpine": "env: can't execute 'nothing': No such file or directory\n",
    }[image]
    assert kubectl("exec", image, "--", "sh", "-c", make) == (
        "/opt/own/hello a\n3\n/opt/own/hello\n./hello b\n"
        f"{missing}command terminated with exit code 127\n"
    )
    assert kubectl("exec", image, "--", "hello", "c") == (
        "/usr/local/bin/hello c\ncommand terminated with exit code 3\n"
    )


@pytest.mark.parametrize(
    ("image", "port", "path", "body"),
    [
        ("httpd:alpine", 80, "/", "<html><body><h1>It works!</h1></body></html>\n"),
        ("prom/prometheus:v2.53.4", 9090, "/-/ready", "Prometheus Server is Ready.\n"),
        ("grafana/grafana:11.6.3", 3000, "/login", '<!DOCTYPE html>\n<html lang="en-US"><head><title>Grafana</title></head><body></body></html>\n'),
        ("traefik:v3.4", 80, "/a", "404 page not found\n"),
        ("elasticsearch:8.18.3", 9200, "/none", "404 page not found\n"),
        ("hashicorp/http-echo", 5678, "/", "hello-world\n"),
    ],
)  # fmt: skip
def test_servers_answer(kubectl: Any, image: str, port: int, path: str, body: str) -> None:
    kubectl("run", "asks", "--image=curlimages/curl", "--", "sleep", "9999", seconds=20)
    kubectl("run", "served", f"--image={image}", seconds=120)
    address = kubectl("get", "pod", "served", "-o", "jsonpath={.status.podIP}")
    assert kubectl("exec", "asks", "--", "curl", "-s", f"http://{address}:{port}{path}") == body
    kubectl("delete", "pod", "served", "--now", seconds=5)


@pytest.mark.parametrize(
    ("image", "words", "said"),
    [
        ("rabbitmq:3-management", ("rabbitmqctl", "list_users", "-q"), "user\ttags\nguest\t[administrator]\n"),
        ("valkey/valkey:8", ("valkey-cli", "ping"), "PONG\n"),
        ("bitnami/redis:7.4", ("redis-cli", "-a", "secret", "--no-auth-warning", "ping"), "PONG\n"),
    ],
)  # fmt: skip
def test_images_start_the_kinds_of_servers_that_are_installed(
    kubectl: Any, image: str, words: tuple[str, ...], said: str
) -> None:
    kubectl("run", "store", f"--image={image}", "--env=REDIS_PASSWORD=secret", seconds=90)
    assert kubectl("exec", "store", "--", *words) == said
    kubectl("delete", "pod", "store", "--now", seconds=30)


def test_every_distribution_that_an_image_may_name_has_its_files() -> None:
    named = {
        name for part in get_args(get_type_hints(Image)["distribution"]) for name in get_args(part)
    }
    assert {name for name in named if name} == set(distributions())
    assert [name for name in distributions() if "/etc/passwd" not in release(name).files] == []
