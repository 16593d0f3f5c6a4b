"""From knowledge units to accepted items: what is read, who writes, who judges."""
