"""IR to Python source."""
