"""Addresses of nodes, and the ranges of their pods."""

from __future__ import annotations


def node_address(number: int) -> str:
    """The InternalIP of the node with this number, from 0."""
    return f"10.77.{number // 250}.{number % 250 + 2}"


def pod_network(number: int) -> str:
    """The pod range of the node with this number, from 0."""
    return f"10.{244 + number // 256}.{number % 256}.0/24"
