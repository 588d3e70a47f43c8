"""Tools of a session that observe: metrics, alerts, logs and traces, told for language models."""

from __future__ import annotations
