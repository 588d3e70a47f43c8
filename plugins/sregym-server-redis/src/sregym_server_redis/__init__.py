"""Redis and Valkey in simulated clusters."""
