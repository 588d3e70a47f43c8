"""When the indexes that have succeeded are enough for a Job's successPolicy."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.controllers.job_status import Outcome, success_rule

ALL_OF_THREE: dict[str, Any] = {"succeededIndexes": "0,2-3"}
TWO_OF_FIVE: dict[str, Any] = {"succeededIndexes": "0-4", "succeededCount": 2}
ANY_TWO: dict[str, Any] = {"succeededCount": 2}


@pytest.mark.parametrize(
    ("rules", "succeeded", "met"),
    [
        ([ALL_OF_THREE], {0, 2}, None),
        ([ALL_OF_THREE], {0, 1, 2}, None),
        ([ALL_OF_THREE], {0, 2, 3, 5}, 0),
        ([TWO_OF_FIVE], {1, 9}, None),
        ([TWO_OF_FIVE], {1, 3}, 0),
        ([ANY_TWO], {7}, None),
        ([ANY_TWO], {7, 8}, 0),
        ([ALL_OF_THREE, ANY_TWO], {7, 8}, 1),
        ([ALL_OF_THREE, ANY_TWO], {0, 2, 3}, 0),
        ([], {0, 1}, None),
    ],
)
def test_the_first_rule_that_is_met_ends_the_job(
    rules: list[dict[str, Any]], succeeded: set[int], met: int | None
) -> None:
    job = {"spec": {"successPolicy": {"rules": rules}}}
    message = f"Matched rules at index {met}"
    expected = Outcome("SuccessCriteriaMet", "SuccessPolicy", message)
    assert success_rule(job, succeeded) == (None if met is None else expected)


def test_a_job_without_rules() -> None:
    assert success_rule({"spec": {}}, {0, 1}) is None
