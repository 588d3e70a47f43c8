"""What is installed, as listings and as a web site: problems, applications, faults, noise."""
