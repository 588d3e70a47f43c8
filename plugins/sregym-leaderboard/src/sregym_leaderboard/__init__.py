"""A leaderboard as a static site, from signed submissions that are played again."""
