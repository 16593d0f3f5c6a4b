"""Plots as plain plotly figures: dictionaries of data and layout, drawn by the page's own script."""
