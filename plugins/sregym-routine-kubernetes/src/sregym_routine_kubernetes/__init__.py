"""Everyday life of simulated Kubernetes clusters: changes, mishaps, Warnings and ignored alerts."""

from __future__ import annotations
