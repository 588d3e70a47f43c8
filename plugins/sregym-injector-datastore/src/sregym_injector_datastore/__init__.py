"""Faults in the accounts and privileges of datastores."""
