"""Generator of new SREGym plugin packages."""
