"""The offline cast of the oral examination."""
