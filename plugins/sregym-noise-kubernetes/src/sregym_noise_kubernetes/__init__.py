"""Transient, self-healing disturbances of Kubernetes workloads."""
