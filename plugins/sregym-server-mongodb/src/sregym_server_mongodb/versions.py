"""Which releases open the files of which, and what a server says of those that it cannot open."""

from __future__ import annotations

# Exit code of mongod when the files are of a version it cannot open.
NEEDS_DOWNGRADE = 62


def upgrade_problem(version: str, written: str) -> str:
    """What a server says of files that a release wrote whose files it cannot open."""
    return (
        f"UPGRADE PROBLEM: Found an invalid featureCompatibilityVersion document (ERROR: "
        f"Location4926900: Invalid featureCompatibilityVersion document in admin.system.version: "
        f'{{ _id: "featureCompatibilityVersion", version: "{written}" }}. See '
        f"https://docs.mongodb.com/master/release-notes/{version.rpartition('.')[0]}"
        f"-compatibility/#feature-compatibility.)"
    )


def before(major: str) -> tuple[str, ...]:
    """The release series before, whose files a server opens as well."""
    series = ("3.6", "4.0", "4.2", "4.4", "5.0", "6.0", "7.0", "8.0")
    at = series.index(major) if major in series else 0
    return series[at - 1 : at] if at else ()
