"""Toolkit for authors of SREGym applications: manifests, service models, workloads, readiness."""
