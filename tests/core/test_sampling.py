"""Shares and samples of pairs, and what `verify` says of those that hurt nobody."""

from __future__ import annotations

import argparse
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
from sregym_core.api import Workspace
from sregym_core.api.catalogue import sampled_pairs
from sregym_core.cli.options import shard
from sregym_core.cli.verify import Verify
from sregym_core.errors import SregymError, UsageError
from sregym_core.model import FaultRef, Problem
from sregym_core.proof import Proof, ProofCheck
from sregym_core.settings import Settings
from sregym_sample.command import check_empty, write
from sregym_sample.proving import received
from sregym_sample.sampling import Sampler


class Heard:
    """Implements what the command needs of a console."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)


PROBLEM = Problem(
    id="p",
    title="Wrong port",
    layer="kubernetes",
    application="shop",
    faults=(FaultRef(fault="service-target-port", targets=("cart",)),),
)
UNNOTICED = ProofCheck(
    "noop-fails",
    "fail",
    "error",
    False,
    "users did not notice the fault within 300 s: success rate 0.999, healthy 0.999",
)


def test_a_fault_that_hurts_nobody() -> None:
    soft = Proof("p", (UNNOTICED,), 1.0)
    assert (soft.proved, soft.softened) == (False, UNNOTICED.detail)
    heard: Any = Heard()
    assert list(Verify(heard, heard).shown(iter([soft]), quiet=False, soft=True)) == [soft]
    assert heard.said == [f"p: softens to nothing: {UNNOTICED.detail} (1 check, 1.0 s)"]
    broken = ProofCheck("noop-fails", "fail", "error", False, "the application did not start")
    assert Proof("p", (broken,), 1.0).softened == ""
    assert Proof("p", (ProofCheck("noop-fails", "fail", "fail", True),), 1.0).softened == ""


def test_a_share() -> None:
    assert (shard("1/1"), shard("3/4")) == ((1, 1), (3, 4))


@pytest.mark.parametrize("text", ["", "4", "0/4", "5/4", "a/b"])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        shard(text)
    assert str(caught.value) == f"a share like 1/4 is needed, from 1/N to N/N, not {text!r}"


def test_pairs_that_no_such_cluster_can_prove_are_left_out() -> None:
    clusters, oracles = ("embedded", "kubernetes"), ("checklist", "state")
    names = {f"cluster-{one}" for one in clusters} | {f"oracle-{one}" for one in oracles}
    names |= {"injector-khaos", "app-fleetcast"}
    workspace = Workspace(Settings(allowed=frozenset(names)))

    def drawn(cluster: str) -> set[str]:
        found = sampled_pairs(workspace, None, 0, cluster)
        return {ref.fault for problem in found for ref in problem.faults}

    embedded, real = drawn("embedded"), drawn("kubeconfig")
    assert {"khaos-mount-io-error", "khaos-memleak-munmap"} <= real - embedded
    assert "khaos-packet-loss-sendto" in embedded < real


def test_a_mode_that_there_is_not() -> None:
    workspace: Any = None  # it is not asked for anything
    with pytest.raises(UsageError) as caught:
        Sampler(workspace, mode="grey")
    assert str(caught.value) == (
        "there is no failure mode 'grey' (there are: cascading, concurrent, correlated, gray, "
        "latent, metastable, recurring, slow, worsening); did you mean 'gray'?"
    )


@pytest.mark.parametrize(
    ("mode", "application", "message"),
    [
        ("", "", "no pair hurts users with the plugins that are installed"),
        (
            "gray",
            "shop",
            "no pair of application 'shop' fails in mode 'gray' with the plugins that are installed",
        ),
    ],
)
def test_nothing_to_choose_from(mode: str, application: str, message: str) -> None:
    workspace = Workspace(Settings(allowed=frozenset()))
    with pytest.raises(UsageError) as caught:
        Sampler(workspace, mode=mode, application=application)
    assert str(caught.value) == message


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    with pytest.raises(UsageError) as caught:
        write(PROBLEM, folder, 1)
    assert str(caught.value) == (
        f"folder {str(folder)!r} cannot be written: File exists; choose another with --out"
    )


def test_a_folder_that_holds_another_suite(tmp_path: Path) -> None:
    check_empty(tmp_path / "none")
    (tmp_path / "README.md").write_text("")
    check_empty(tmp_path)
    write(PROBLEM, tmp_path, 20)
    with pytest.raises(UsageError) as caught:
        check_empty(tmp_path)
    assert str(caught.value) == (
        f"folder {str(tmp_path)!r} holds 020.yaml, which would be taken for a part of the suite; "
        "empty it, or choose another with --out"
    )


def test_a_process_that_ended_with_its_proof() -> None:
    here, there = Pipe()
    there.close()
    with pytest.raises(SregymError) as caught:
        received(here, PROBLEM)
    assert str(caught.value) == (
        "sample, problem 'p': the process that proved it ended, by lack of memory for instance; "
        "prove fewer at once with --jobs"
    )
