"""The headers that nginx puts above every answer."""

from __future__ import annotations

from datetime import UTC, datetime

# Codes with which `add_header` counts without `always`.
_GOOD = (200, 201, 204, 206, 301, 302, 303, 304, 307, 308)


def http_date(at: float) -> str:
    """Unix seconds as HTTP has them."""
    return datetime.fromtimestamp(at, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")


def headers(
    signature: str,
    now: float,
    kind: str,
    size: int,
    *,
    location: str = "",
    modified: float | None = None,
) -> tuple[tuple[str, str], ...]:
    """The headers of an answer, in nginx's order; without those that the configuration adds."""
    found = [("Server", signature), ("Date", http_date(now))]
    if kind:
        found += [("Content-Type", kind)]
    found += [("Content-Length", str(size))]
    if modified is not None:
        found += [("Last-Modified", http_date(modified))]
    if location:
        found += [("Location", location)]
    found += [("Connection", "keep-alive")]
    if modified is not None:
        found += [("ETag", f'"{int(modified):x}-{size:x}"'), ("Accept-Ranges", "bytes")]
    return tuple(found)


def counts(status: int, words: tuple[str, ...]) -> bool:
    """Whether an `add_header` with these words counts for a code."""
    return status in _GOOD or words[-1:] == ("always",)
