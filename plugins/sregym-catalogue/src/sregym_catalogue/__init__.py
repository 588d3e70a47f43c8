"""The catalogue of installed faults and problems as a web site."""
