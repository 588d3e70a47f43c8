"""A POSIX shell of modest size and the commands that images bring."""

from __future__ import annotations
