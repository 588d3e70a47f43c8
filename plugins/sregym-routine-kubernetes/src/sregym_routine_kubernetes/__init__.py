"""Everyday life of simulated Kubernetes clusters: changes, mishaps, Warnings and alerts nobody tends."""

from __future__ import annotations
