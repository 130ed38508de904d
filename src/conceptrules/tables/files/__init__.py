"""Tables in files: CSV and Parquet, read whole or in chunks."""
