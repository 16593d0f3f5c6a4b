"""The page: templates, style and script. A package, so that they are installed with the code."""
