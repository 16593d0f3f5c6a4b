"""What calls give: findings of the packages below as tables and sentences."""
