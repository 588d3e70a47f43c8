"""Mitigation oracle that judges the state of the system over a window."""
