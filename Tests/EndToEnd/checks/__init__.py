"""The checks, one module a subject. A module registers its checks when it is imported."""
