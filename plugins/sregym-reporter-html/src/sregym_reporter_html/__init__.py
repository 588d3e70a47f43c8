"""One self-contained HTML report for a run."""
