"""How judges withstand what should not move them."""
