"""Faults in how programs are set: how they call each other, what they take at once, how they collect garbage."""
