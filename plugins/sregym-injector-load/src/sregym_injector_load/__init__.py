"""Faults in the load of a system, by the settings of its load generator."""
