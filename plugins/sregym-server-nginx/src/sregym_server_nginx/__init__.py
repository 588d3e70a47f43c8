"""nginx: its configuration language, and how a request is answered by what stands in it."""
