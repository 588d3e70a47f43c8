"""Acme's name-resolution faults."""
