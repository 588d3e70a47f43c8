"""Scripted baseline agents: expert, noop and restart-loop."""
