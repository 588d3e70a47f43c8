"""Protobuf bodies, as kubectl's typed commands send them."""

from __future__ import annotations

from sregym_cluster_embedded.api.protobuf.envelope import decode

__all__ = ["decode"]
