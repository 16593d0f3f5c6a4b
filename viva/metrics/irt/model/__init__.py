"""Response models: curves, designs of abilities, what a fit takes and hands on."""
