"""The services of observability of a real cluster: where they are, how they are asked, a set of them."""
