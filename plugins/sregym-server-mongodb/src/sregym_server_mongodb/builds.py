"""How releases of MongoDB were built, as they say themselves."""

from __future__ import annotations

import hashlib

# The commit of a release of MongoDB that is known; others are told by a digest of their name.
_COMMITS = {"4.4.6": "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7"}
# OpenSSL and the system that a series is built for.
_SYSTEMS = {
    "4.4.6": ("OpenSSL 1.1.1  11 Sep 2018", "ubuntu1804"),
    "4": ("OpenSSL 1.1.1f  31 Mar 2020", "ubuntu2004"),
    "5": ("OpenSSL 1.1.1f  31 Mar 2020", "ubuntu2004"),
}
_NEWER = ("OpenSSL 3.0.2 15 Mar 2022", "ubuntu2204")


def build_of(version: str) -> dict[str, object]:
    """How a release of MongoDB was built."""
    major = version.partition(".")[0]
    library, system = _SYSTEMS.get(version) or _SYSTEMS.get(major) or _NEWER
    digest = hashlib.sha1(version.encode(), usedforsecurity=False).hexdigest()
    commit = _COMMITS.get(version, digest)
    return {
        "version": version, "gitVersion": commit, "openSSLVersion": library, "modules": [],
        "allocator": "tcmalloc",
        "environment": {"distmod": system, "distarch": "x86_64", "target_arch": "x86_64"},
    }  # fmt: skip
