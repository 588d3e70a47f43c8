"""A cluster of three nodes, with a look at its machines: logged in as root, or through kubectl."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, run
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.userland.host.hosts import run_on_host
from sregym_cluster_embedded.world import World

OnHost: TypeAlias = Callable[..., ExecResult]
Kubectl: TypeAlias = Callable[..., CommandResult]


@cache
def _built() -> World:
    return build(Blueprint())


@pytest.fixture
def world() -> World:
    """A cluster whose nodes are up."""
    return _built().fork()


@pytest.fixture
def on_host(world: World) -> OnHost:
    """Runs a line of bash on a node as root; on `node1` unless told otherwise."""

    def call(line: str, node: str = "node1", stdin: str = "") -> ExecResult:
        return run_on_host(world, node, ["bash", "-c", line], stdin)

    return call


@pytest.fixture
def kubectl(world: World) -> Kubectl:
    """Runs `kubectl LINE` in process, as an administrator."""

    def call(line: str, stdin: str = "") -> CommandResult:
        return run(DirectAccess(world), shlex.split(line), stdin=stdin)

    return call
