"""The search on any number of rows: a sample is learned from, and passes over all rows judge what was learned."""
