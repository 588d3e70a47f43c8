"""A shell that has ended leaves nothing behind: its session would keep the whole world alive."""

from __future__ import annotations

import gc
from typing import Any

from sregym_cluster_embedded.userland.shell.session import Session


def test_no_session_outlives_its_command_line(shop: Any) -> None:
    shop.start_box("sh", "-c", "echo up; sleep 3600")
    gc.collect()
    gc.disable()
    try:
        shop.run(1)
        said = shop.shell("box", "echo $(echo a) | xargs -n1 sh -c 'echo said $0'")
        left = [thing for thing in gc.get_objects() if type(thing) is Session]
    finally:
        gc.enable()
    assert (said, left) == ((0, "said a\n", ""), [])
