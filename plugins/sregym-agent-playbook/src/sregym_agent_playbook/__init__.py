"""An agent that diagnoses by a table of rules, as a runbook has them; no language model."""
