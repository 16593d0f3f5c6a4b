"""What makes an exam better by what was measured of it (refinement); tuning of judges comes with its issue."""
