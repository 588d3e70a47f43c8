"""Entry point of the toolkit: several applications stand side by side, whoever brings them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Application


@hookimpl
def sregym_join_applications(parts: Sequence[Application]) -> Application:
    """One application that is all of them, each in its own namespaces."""
    from sregym_apps.together import Together

    return Together(parts)
