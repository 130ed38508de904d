"""Why a row gets its class, what would change it, and what rules and columns are worth."""
