"""Toolkit for authors of SREGym agents: tool surface, gateway, transcripts, budgets."""
