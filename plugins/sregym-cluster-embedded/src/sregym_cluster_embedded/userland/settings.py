"""What a program reads when it starts: flags, arguments, environment, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import FormError, parse_words, parsed, settings_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Setting

    from sregym_cluster_embedded.userland.filesystem import Files


__all__ = ["parse_words", "read_failure", "read_settings"]


def read_settings(
    wanted: Mapping[str, Setting],
    words: tuple[str, ...],
    environment: Mapping[str, str],
    files: Files,
    working_dir: str,
) -> dict[str, str]:
    """The values a program finds, by name; what it does not find is not there."""
    return settings_found(wanted, words, environment, files.read, working_dir)


def read_failure(files: Files, path: str, shown: str) -> str | None:
    """Why a configuration file cannot be read, as Go words it; None when it can."""
    text = files.read(path)
    if text is None:
        if files.is_folder(path):
            return f"read {shown}: is a directory"
        return f"open {shown}: no such file or directory"
    try:
        parsed(text, path)
    except FormError as error:
        if path.endswith((".yaml", ".yml")) or error.at is None:
            return f"yaml: {error}"
        if error.at >= len(text.rstrip()):
            return "unexpected end of JSON input"
        return f"invalid character {text[error.at]!r} looking for beginning of value"
    return None
