"""memcached in simulated clusters."""
