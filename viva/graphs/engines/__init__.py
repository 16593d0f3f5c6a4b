"""Where the work of a run is done: in this process, or spread over others by Ray."""
