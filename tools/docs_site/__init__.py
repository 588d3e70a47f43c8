"""The documentation as a web site: pages of the repository and generated ones, built by Sphinx."""
