"""Faults of operators and of the custom resources that they reconcile."""
