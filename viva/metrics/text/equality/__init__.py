"""Equality of answers by value: numbers, quantities, dates, lists, yes and no. No model, no likeness."""
