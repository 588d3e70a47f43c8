"""Which API server is behind the guard, and by which credentials."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_agents.guard.upstream import Upstream, read_upstream
from sregym_core.errors import WorldError

CONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:8001/prefix/"}}]
users: [{name: u, user: USER}]
contexts: [{name: u@c, context: {cluster: c, user: u, namespace: shop}}]
current-context: u@c
"""


def test_an_upstream_with_a_token(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(CONFIG.replace("USER", "{token: abc}"))
    expected = Upstream("127.0.0.1", 8001, "/prefix", None, "abc", "shop")
    assert read_upstream(file) == expected


def test_an_upstream_that_logs_in_with_a_program(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(CONFIG.replace("USER", "{exec: {command: login}}"))
    with pytest.raises(WorldError) as refused:
        read_upstream(file)
    assert str(refused.value) == (
        f"user 'u' of {str(file)!r} logs in with a program, which the guard cannot do; give a "
        "kubeconfig with a token or a client certificate"
    )
