"""Parcels: an application with every kind of workload, and the operator of its store."""
