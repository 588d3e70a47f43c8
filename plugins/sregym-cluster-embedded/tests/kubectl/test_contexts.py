"""The namespace of the context holds for the commands that come after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.cluster.commands import Commands
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, NotCovered, run
from sregym_cluster_embedded.kubectl.kubeconfig import remember

SET = ["config", "set-context", "--current", "--namespace=shop"]
CHANGED = """apiVersion: v1
clusters:
- cluster:
    server: http://127.0.0.1:1
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    namespace: shop
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user: {}
"""


def test_a_namespace_that_is_set_is_that_of_the_next_command(shop: Any, tmp_path: Path) -> None:
    file = write_kubeconfig(tmp_path / "config", "http://127.0.0.1:1")
    access = DirectAccess(shop.world, kubeconfig=lambda: file)
    assert run(access, SET) == CommandResult(
        0, 'Context "kubernetes-admin@kubernetes" modified.\n', ""
    )
    assert file.read_text() == CHANGED
    assert run(access, ["get", "pods"]).stderr == "No resources found in shop namespace.\n"
    assert run(access, ["get", "pods", "-n", "default"]).stderr == (
        "No resources found in default namespace.\n"
    )


def test_one_who_has_no_kubeconfig_is_left_to_the_binary(shop: Any) -> None:
    with pytest.raises(NotCovered) as caught:
        run(DirectAccess(shop.world), SET)
    assert str(caught.value) == "a kubeconfig that is not known"


@pytest.mark.parametrize(
    "words", [SET, ["config", "set", "contexts.kubernetes-admin@kubernetes.namespace", "shop"]]
)
def test_it_holds_for_all_commands_of_one_caller(
    shop: Any, tmp_path: Path, words: list[str]
) -> None:
    commands = Commands(LiveWorld(shop.world, Stepped()))
    try:
        assert commands.run(words, "", lambda: tmp_path).exit_code == 0
        done = commands.run(["get", "pods"], "", lambda: tmp_path)
        assert (done.exit_code, done.stderr) == (0, "No resources found in shop namespace.\n")
    finally:
        commands.close()


@pytest.mark.parametrize(
    ("text", "remembered"),
    [
        (CHANGED, {"namespace": "shop", "redirected": False}),
        (CHANGED.replace("current-context", "other"), {"namespace": "default", "redirected": True}),
        (
            CHANGED.replace("user: kubernetes-admin", "user: ann"),
            {"namespace": "shop", "redirected": True},
        ),
    ],
)
def test_who_leaves_the_context_leaves_the_cluster(
    shop: Any, tmp_path: Path, text: str, remembered: dict[str, Any]
) -> None:
    (tmp_path / "config").write_text(text)
    access = DirectAccess(shop.world)
    remember(access.memory, tmp_path / "config")
    assert access.memory == remembered
    if remembered["redirected"]:
        with pytest.raises(NotCovered) as caught:
            run(access, ["get", "pods"])
        assert str(caught.value) == "a context of somebody else"
