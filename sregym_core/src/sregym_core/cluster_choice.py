"""How a kind of cluster is named, on the command line and by programs."""

from __future__ import annotations

from sregym_core.errors import UsageError


def cluster_choice(text: str) -> tuple[str, dict[str, str]]:
    """Provider and options from `NAME`, `NAME:CONTEXT` or `NAME:key=value,key=value`."""
    name, _, rest = text.partition(":")
    if not rest:
        return name, {}
    if "=" not in rest:
        return name, {"context": rest}
    options = {}
    for part in rest.split(","):
        key, separator, value = part.partition("=")
        if not separator or not key:
            msg = f"--cluster {text!r}: {part!r} is not of the form key=value"
            raise UsageError(msg)
        options[key] = value
    return name, options
