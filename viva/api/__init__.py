"""The programming interface: what `import viva` offers (docs/api.md)."""
