"""Lines of kubectl as agents type them: split, classified, refused."""

from __future__ import annotations

from sregym_core.toolbox.commands import RefusedError, parse, reads_only, verb

__all__ = ["RefusedError", "parse", "reads_only", "verb"]
