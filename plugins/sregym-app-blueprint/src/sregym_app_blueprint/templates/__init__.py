"""Templates of this application's table."""
