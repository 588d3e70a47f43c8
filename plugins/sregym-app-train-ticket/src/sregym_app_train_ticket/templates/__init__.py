"""Templates for the table of Train Ticket."""
