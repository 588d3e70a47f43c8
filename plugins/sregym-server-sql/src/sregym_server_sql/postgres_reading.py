"""What a standby of PostgreSQL refuses: to change anything but its own settings."""

from __future__ import annotations

from sregym_server_sql.engine import writes
from sregym_server_sql.postgres_errors import PostgresError

# What changes something besides tables.
_CHANGING = ("create", "drop", "alter", "grant", "revoke", "vacuum", "reindex", "comment")


def demand_reading(statement: str, verb: str) -> None:
    """Refuse a statement that changes something.

    Raises:
        PostgresError: With the server's error text.
    """
    words = statement.upper().split()
    if not (writes(statement) or verb in _CHANGING) or words[:2] == ["ALTER", "SYSTEM"]:
        return
    label = " ".join(words[:2]) if verb in ("create", "drop", "alter") else words[0]
    raise PostgresError(f"ERROR:  cannot execute {label} in a read-only transaction")
