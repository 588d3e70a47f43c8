"""How clusters, applications, oracles and rewards with options are named on the command line and by programs."""

from __future__ import annotations

from sregym_core.errors import UsageError


def cluster_choice(text: str) -> tuple[str, dict[str, str]]:
    """Provider and options from `NAME`, `NAME:CONTEXT` or `NAME:key=value,key=value`."""
    name, _, rest = text.partition(":")
    if rest and "=" not in rest:
        return name, {"context": rest}
    return name, _options(rest, f"--cluster {text!r}")


def application_choice(text: str) -> tuple[str, dict[str, str]]:
    """Application and options from `NAME` or `NAME:key=value,key=value`."""
    name, _, rest = text.partition(":")
    return name, _options(rest, f"application {text!r}")


def oracle_choice(text: str) -> tuple[str, dict[str, str]]:
    """Oracle and options from `NAME` or `NAME:key=value,key=value`."""
    name, _, rest = text.partition(":")
    return name, _options(rest, f"oracle {text!r}")


def reward_choice(text: str) -> tuple[str, dict[str, str]]:
    """Reward and weights from `NAME` or `NAME:weight=number,weight=number`."""
    name, _, rest = text.partition(":")
    return name, _options(rest, f"reward {text!r}")


def _options(text: str, whose: str) -> dict[str, str]:
    options = {}
    for part in text.split(",") if text else ():
        key, separator, value = part.partition("=")
        if not separator or not key:
            msg = f"{whose}: {part!r} is not of the form key=value"
            raise UsageError(msg)
        options[key] = value
    return options
