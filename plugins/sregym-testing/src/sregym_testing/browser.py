"""A real browser for tests of pages: Chromium without a window, found on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing is fetched from anywhere, and nothing asks anybody.
_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Tests that need one are skipped where there is none, but never in CI.
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, _NAMES)) and not os.environ.get("CI"),
    reason="no chromium on PATH, and this is not CI",
)


def browser_command(profile: Path, *words: str) -> list[str]:
    """The command of a browser.

    Args:
        profile: Folder of its own; made where it is not there.
        words: Further options, and the address.
    """
    found = next(filter(None, map(shutil.which, _NAMES)), _NAMES[0])
    return [found, *_QUIET, f"--user-data-dir={profile}", *words]


def browse(profile: Path, address: str, *words: str) -> str:
    """Open a page; gives what the browser prints, the page as it stands after its scripts by default.

    Args:
        profile: Folder of the browser's own.
        address: Of the page.
        words: Options in place of `--dump-dom`: `--screenshot=page.png`, `--print-to-pdf=page.pdf`;
            a size, `--window-size=500,900`, stands beside any of them.
    """
    acts = any(word.startswith(("--dump", "--screenshot", "--print")) for word in words)
    command = browser_command(profile, *words, *([] if acts else ["--dump-dom"]), address)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout
