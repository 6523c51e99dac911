"""RC4 with the interfaces of other packages, for code that was written for them."""
