"""Applications of many like workloads: templates, and a table with a row for each workload."""

from __future__ import annotations

from sregym_apps.table.folder import TABLE, MemoryFolder, content_of, joined, with_table
from sregym_apps.table.rows import Expanded, expanded

__all__ = ["TABLE", "Expanded", "MemoryFolder", "content_of", "expanded", "joined", "with_table"]
