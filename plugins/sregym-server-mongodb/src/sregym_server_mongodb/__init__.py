"""What a MongoDB server keeps, who may use it, and the shell by which people look at it."""

from __future__ import annotations
