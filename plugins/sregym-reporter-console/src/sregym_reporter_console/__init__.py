"""Live progress and result tables in the terminal."""
