"""A retry storm in a running application: what tips it over passes, comes again, and harms no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_app_blueprint.application import BlueprintHotels
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import ClusterProvider, ClusterSpec, FaultContext
from sregym_core.model import Outcome
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_injector_code.timeouts_and_retries import RetryPolicy

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster


def served(hotels: BlueprintHotels, cluster: Cluster) -> float:
    return hotels.traffic(cluster, 30.0).success_rate


@pytest.mark.parametrize(
    "trigger", [{"peak": {"times": 6}}, {"dip": {"cpu": "100m"}}], ids=["peak", "dip"]
)
def test_a_storm_stays_until_calls_are_made_otherwise(trigger: dict[str, object]) -> None:
    hotels, fault = BlueprintHotels(), RetryPolicy()
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    cluster = provider.provision(ClusterSpec(seed=7, applications=(hotels,)))
    hotels.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not hotels.ready(cluster), 300.0, 5.0)
    part = hotels.component("frontend-service")
    assert part is not None
    context = FaultContext(
        cluster, hotels, part, fault.Parameters.model_validate(trigger), UndoJournal()
    )

    fault.inject(context)
    cluster.clock.advance(200.0)
    assert (fault.present(context).outcome, served(hotels, cluster) < 0.1) == (Outcome.FAIL, True)
    for command in fault.reference_fix(context):
        assert cluster.kubectl(command).ok
    cluster.clock.advance(120.0)
    assert (fault.present(context).outcome, served(hotels, cluster) > 0.99) == (Outcome.PASS, True)
    assert fault.replay(context)
    cluster.clock.advance(120.0)
    assert served(hotels, cluster) > 0.99
    cluster.close()
