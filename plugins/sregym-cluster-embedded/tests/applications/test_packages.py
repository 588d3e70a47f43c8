"""Package managers meet no mirror: in their own words, and with their exit codes."""

from __future__ import annotations

from typing import Any

UPDATED = (
    "Err:1 http://deb.debian.org/debian bookworm InRelease\n"
    "  Temporary failure resolving 'deb.debian.org'\n"
    "Err:2 http://deb.debian.org/debian bookworm-updates InRelease\n"
    "  Temporary failure resolving 'deb.debian.org'\n"
    "Err:3 http://deb.debian.org/debian-security bookworm-security InRelease\n"
    "  Temporary failure resolving 'deb.debian.org'\n"
    "Reading package lists...\n"
)


def test_apt_finds_no_mirror_and_no_package(shop: Any) -> None:
    shop.start_mongo()
    shop.run(1)
    code, out, err = shop.shell("mongodb-stock", "apt-get update")
    assert (code, out) == (0, UPDATED)
    assert err.splitlines()[0] == (
        "W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  "
        "Temporary failure resolving 'deb.debian.org'"
    )
    assert shop.shell("mongodb-stock", "apt-get install -y vim") == (
        100,
        "Reading package lists...\nBuilding dependency tree...\nReading state information...\n",
        "E: Unable to locate package vim\n",
    )


def test_apk_finds_no_mirror_and_no_package(open_shop: Any) -> None:
    place = "https://dl-cdn.alpinelinux.org/alpine/v3.20"
    assert open_shop.shell("web", "apk add --no-cache curl") == (
        1,
        f"fetch {place}/main/x86_64/APKINDEX.tar.gz\n"
        f"fetch {place}/community/x86_64/APKINDEX.tar.gz\n",
        f"WARNING: Ignoring {place}/main: temporary error (try again later)\n"
        f"WARNING: Ignoring {place}/community: temporary error (try again later)\n"
        "ERROR: unable to select packages:\n  curl (no such package):\n"
        "    required by: world[curl]\n",
    )
    assert open_shop.shell("web", "vim") == (127, "", "sh: vim: not found\n")
