"""Servers, machines and proxies of the tests of a fleet."""
