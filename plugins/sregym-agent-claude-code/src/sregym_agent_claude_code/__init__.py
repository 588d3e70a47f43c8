"""Claude Code as an agent: the vendor's own command line, with a session's tools and no others."""
