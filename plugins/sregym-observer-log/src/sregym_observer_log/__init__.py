"""Episode events as structured log lines on standard error."""
