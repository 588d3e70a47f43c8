"""Anomalies of traffic that pass."""
