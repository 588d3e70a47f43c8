"""Audited clusters, for SREGym."""
