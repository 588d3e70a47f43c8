"""Faults below processes: system calls that fail, packets that are lost, memory that goes."""
