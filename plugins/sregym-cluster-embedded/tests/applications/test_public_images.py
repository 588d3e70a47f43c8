"""Images of public registries: what people start to look around with is there, in any cluster."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.simulation import installed
from sregym_cluster_embedded.cluster import Embedded
from sregym_cluster_embedded.userland.builtin import builtin_models, public_models
from sregym_cluster_embedded.userland.catalogue import Catalogue
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
