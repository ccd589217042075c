"""What every room needs and no person types."""
