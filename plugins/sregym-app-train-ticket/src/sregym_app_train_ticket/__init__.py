"""Train Ticket: users search and buy railway tickets; 46 services behind a web site, most of them in Java."""
