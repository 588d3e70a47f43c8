"""Errors that are sentences for people."""

from __future__ import annotations


class Refusal(Exception):
    """A request is refused; the text says what was seen and what to do about it."""
