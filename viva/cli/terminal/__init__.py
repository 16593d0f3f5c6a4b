"""The terminal: the process of a command, and its result shown."""
