"""Cluster options that can never work are refused before a run writes anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (
            "embedded:pace=fast",
            "cluster 'embedded', option 'pace': a positive number is needed, not 'fast'",
        ),
        (
            "embedded:metrics-server=yes",
            "cluster 'embedded', option 'metrics-server': 'true' or 'false', not 'yes'",
        ),
        (
            "embedded:storage-driver=My Disks",
            "cluster 'embedded', option 'storage-driver': the name of a CSI driver is needed, such as "
            "'disks.csi.example.com', not 'My Disks'",
        ),
        (
            "embedded:speed=2",
            "cluster 'embedded' has no option 'speed'; "
            "known: pace, port, call-limit, metrics-server, ingress-controller, control-plane, "
            "storage-driver, origins",
        ),
    ],
)
def test_a_run_with_bad_cluster_options_leaves_nothing(
    sregym_project: Callable[..., SregymProject], cluster: str, message: str
) -> None:
    project = sregym_project({})
    words = ("run", "missing_service_hotel_reservation", "--agent", "noop", "--cluster", cluster)
    outcome = project.run(*words)
    outcome.assert_exit(ExitCode.USAGE)
    assert outcome.err == f"sregym: {message}\n"
    assert list(project.folder.iterdir()) == []
