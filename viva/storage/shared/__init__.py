"""What the processes of one run share in its PostgreSQL database, beside the facts of the run store."""
