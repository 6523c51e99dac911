"""Everything the lab knows, on one page that needs nothing but a browser."""
