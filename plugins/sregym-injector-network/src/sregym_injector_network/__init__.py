"""Network, for SREGym."""
