"""`viva irt`: item response theory for any table of right and wrong answers."""
