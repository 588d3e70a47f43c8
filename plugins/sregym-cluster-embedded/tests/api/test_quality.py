from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.quality import qos_class


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        (
            {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}},
            "Burstable",
        ),
    ],
)
def test_requests_and_limits_make_the_class_of_a_pod(resources, expected):
    assert qos_class({"containers": [{"resources": resources}]}) == expected
