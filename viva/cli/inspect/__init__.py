"""What a run holds, on the terminal."""
