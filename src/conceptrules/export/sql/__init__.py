"""The export to SQL, in several dialects."""
