"""Real browsers with the extension, the pages that they show, and what the pages report."""
