"""The dashboard of `sregym up`: the truth only behind `--reveal`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import pytest
from sregym_testing.browser import browse, needs_browser

PROBLEM = "missing_service_hotel_reservation"
SENTENCE = "The root cause is in mongodb-rate: Service mongodb-rate in namespace hotel-reservation"

UpWorlds = Callable[..., Any]


def _told_with_the_truth(ready: dict[str, Any]) -> None:
    dashboard, _, place = ready["revealed"].partition("/#reveal=")
    assert dashboard == ready["endpoints"]["dashboard"]
    with urlopen(unquote(place)) as answer:
        told = json.loads(answer.read())
    assert [sorted(cause) for cause in told["causes"]] == [["fix", "sentence"]]
    assert told["causes"][0]["sentence"].startswith(SENTENCE)
    assert (
        "kubectl rollout restart deployment/rate -n hotel-reservation" in told["causes"][0]["fix"]
    )


@needs_browser
@pytest.mark.parametrize("reveal", [True, False])
def test_the_page_of_a_broken_hotel(up_world: UpWorlds, tmp_path: Path, reveal: bool) -> None:
    ready = up_world(PROBLEM, "--seed", "1", *(["--reveal"] if reveal else [])).ready
    assert ("revealed" in ready) is reveal
    if reveal:
        _told_with_the_truth(ready)
    address = ready["revealed"] if reveal else ready["endpoints"]["dashboard"]
    seen = browse(tmp_path, address, "--virtual-time-budget=5000")
    # As many as search for hotels in this seed's mix, as chance has it in the half minute before.
    (share,) = re.findall(r"<strong>([0-9.]+) % of user requests fail</strong>", seen)
    assert float(share) == pytest.approx(54, abs=4)
    # rate does not start without its database. Its registration is gone, and search has but the name
    # that it asks for; or one is left of a container that crashed before, and leads to rate.
    assert (re.search("search → (srv-)?rate", seen) is not None) is reveal
    assert (SENTENCE in seen) is reveal
