"""A diagnosis oracle that asks a language model the questions of the checklist."""
