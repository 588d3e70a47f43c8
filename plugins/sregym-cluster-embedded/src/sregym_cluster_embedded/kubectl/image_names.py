"""What kubectl takes for the name of an image."""

from __future__ import annotations

import re

from sregym_cluster_embedded.kubectl.errors import CommandError

_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*"
_TAG = r"[\w][\w.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE = re.compile(
    rf"(?:{_DOMAIN}/)?{_PART}(?:/{_PART})*(?::{_TAG})?(?:@{_DIGEST})?", re.ASCII
)


def refuse_invalid(image: str) -> None:
    """Refuse what is no name of an image.

    Raises:
        CommandError: It is none.
    """
    if not _REFERENCE.fullmatch(image):
        raise CommandError(f'error: invalid image name "{image}": invalid reference format')
