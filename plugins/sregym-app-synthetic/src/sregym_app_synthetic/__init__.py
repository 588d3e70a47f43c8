"""Applications of any size, generated from a seed."""
