"""What the table of Flight Ticket makes."""
