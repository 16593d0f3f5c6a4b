"""Who is told of every request: the log of events, and OpenTelemetry spans."""
