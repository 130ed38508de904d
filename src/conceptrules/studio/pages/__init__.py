"""The pages of the studio: thin, they show values of the rooms below and call functions of the session."""
