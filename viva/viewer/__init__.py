"""`viva view`: runs in a browser. A server on loopback, pages made of what is on record, acts that are recorded."""
