"""Faults of machines: kernels and disks of nodes."""
