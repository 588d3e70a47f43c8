"""Clients on the wall clock see the ages of a world whose time is elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.http.time_shift import shifted_json, shifted_text
from sregym_cluster_embedded.kubectl.fallback import run_binary


def test_json_strings_that_are_timestamps_move_and_nothing_else() -> None:
    body = b'{"a":"2026-01-31T23:59:59Z","b":"2026-01-01T00:00:00.123456Z","c":"at 2026-01-01T00:00:00Z"}'
    assert shifted_json(body, 2) == (
        b'{"a":"2026-02-01T00:00:01Z","b":"2026-01-01T00:00:02.123456Z","c":"at 2026-01-01T00:00:00Z"}'
    )


def test_printed_moments_move_in_both_forms() -> None:
    text = "Start: Sat, 31 Jan 2026 23:59:59 +0000\nat 2026-01-31T23:59:59Z\nNever: Mon, 01 Jan 0001 00:00:00 +0000\n"
    assert shifted_text(text, 2) == (
        "Start: Sun, 01 Feb 2026 00:00:01 +0000\nat 2026-02-01T00:00:01Z\n"
        "Never: Mon, 01 Jan 0001 00:00:00 +0000\n"
    )
    assert shifted_text(shifted_text(text, 86_400 * 300), -86_400 * 300) == text


def test_the_binary_describes_a_world_of_another_year(
    make_shop: Callable[..., Any], tmp_path: Path
) -> None:
    shop = make_shop(epoch=1_600_000_000)
    live = LiveWorld(shop.world, Stepped(request_cost_s=0))
    with ApiEndpoint(live) as endpoint:
        endpoint.shift_s = round(time.time() - (shop.world.epoch + shop.world.now))
        kubeconfig = write_kubeconfig(tmp_path / "config", endpoint.url)
        done = run_binary(kubeconfig, ["describe", "node", "node1"])
    text = shifted_text(done.stdout, -endpoint.shift_s)
    assert done.stderr == ""
    assert "CreationTimestamp:  Sun, 13 Sep 2020 12:26:40 +0000\n" in text
    ages = [line.split()[2] for line in text.partition("Events:")[2].splitlines()[3:]]
    assert ages
    assert all(age.endswith("s") for age in ages)
