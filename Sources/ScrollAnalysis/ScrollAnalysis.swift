// Policies compared, decisions explained, sessions drawn.
