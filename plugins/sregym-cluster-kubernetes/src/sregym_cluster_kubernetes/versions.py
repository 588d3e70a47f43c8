"""The version of an API server as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubernetes.client import VersionInfo


def numbers(code: VersionInfo) -> tuple[int, int]:
    """Major and minor version; clouds write the minor one as `36+`."""
    return int(code.major), int(re.sub(r"\D", "", code.minor))
