"""Acme's toolbox, for SREGym."""
