"""The joint mode of abilities and items, for matrices of any size."""
