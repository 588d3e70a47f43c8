"""Campaigns of many episodes: run, resumed, reported and compared."""
