"""Larder, for SREGym."""
