"""Campaigns on many machines, by Ray."""
