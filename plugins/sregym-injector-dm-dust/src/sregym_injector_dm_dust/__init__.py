"""Disks of nodes whose sectors cannot be read, or that answer late or unreliably."""
