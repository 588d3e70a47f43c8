"""Flight Ticket on Apache OpenWhisk."""
