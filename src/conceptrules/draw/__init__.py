"""What people look at while and after a network is learned."""
