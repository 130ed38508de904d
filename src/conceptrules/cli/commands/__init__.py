"""The work of the commands that need more than a few lines."""
