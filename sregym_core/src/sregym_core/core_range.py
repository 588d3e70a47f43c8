"""Which versions of the core a distribution needs, as its metadata says."""

from __future__ import annotations

import re

_CLAUSE = re.compile(r"(~=|===?|!=|<=|>=|<|>)\s*v?([0-9]+(?:\.[0-9]+)*)(\.\*)?")


def core_mismatch(needed: str, installed: str) -> str:
    """Why an installed version is none of those needed; empty when it is one.

    Args:
        needed: Clauses of a requirement, `>=0.1,<0.2`; what is not understood is taken to hold.
        installed: A version.
    """
    release = _release(installed)
    clauses = (_CLAUSE.match(clause.strip()) for clause in needed.split(","))
    if all(clause is None or _holds(clause, release) for clause in clauses):
        return ""
    wanted = needed.replace(" ", "")
    return f"it needs sregym-core {wanted}, and {installed} is installed; install a version of it that fits"


def _holds(clause: re.Match[str], release: tuple[int, ...]) -> bool:
    sign, wanted, prefix = clause[1], _release(clause[2]), clause[3]
    length = max(len(release), len(wanted))
    have, bound = _padded(release, length), _padded(wanted, length)
    begins = release[: len(wanted)] == wanted
    match sign:
        case "~=":
            return have >= bound and release[: len(wanted) - 1] == wanted[:-1]
        case "==" | "===":
            return begins if prefix else have == bound
        case "!=":
            return not (begins if prefix else have == bound)
        case "<=":
            return have <= bound
        case ">=":
            return have >= bound
        case "<":
            return have < bound
        case _:
            return have > bound


def _padded(release: tuple[int, ...], length: int) -> tuple[int, ...]:
    return release + (0,) * (length - len(release))


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
