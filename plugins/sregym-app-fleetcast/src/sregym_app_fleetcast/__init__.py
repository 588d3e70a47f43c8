"""FleetCast for SREGym."""
