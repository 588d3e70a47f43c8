"""Protobuf bodies, as typed clients send them."""

from __future__ import annotations

from sregym_cluster_embedded.api.protobuf.envelope import decode, knows

__all__ = ["decode", "knows"]
