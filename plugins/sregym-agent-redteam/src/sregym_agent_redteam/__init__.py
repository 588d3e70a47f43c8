"""An agent that tries to find the answer or to fake the verdict."""
