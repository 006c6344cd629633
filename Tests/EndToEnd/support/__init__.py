"""What the checks stand on: the programs under test, a Varlink client of our own, recordings, users, and the runner."""
