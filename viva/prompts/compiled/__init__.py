"""Judges that were tuned and ship: one JSON file each, card and program, as `viva tune` installs them."""
