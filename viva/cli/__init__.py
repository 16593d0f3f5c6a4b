"""The command line: one file per command, imports inside the command."""
