"""What a run has at hand: each made once, when it is first asked for."""
