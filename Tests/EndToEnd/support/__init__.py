"""What the tests share: the programs under test, a Varlink client, recordings, users and disks."""
