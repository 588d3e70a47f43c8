"""Gardener, for SREGym."""
