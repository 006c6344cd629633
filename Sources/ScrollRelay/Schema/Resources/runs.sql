-- Version 3 as well: the run of the daemon, by which the log of a clone is recognized; and the comments that version 2 lacked.

ALTER TABLE scroll.machine ADD COLUMN run uuid;
COMMENT ON COLUMN scroll.machine.run IS 'The run of the daemon that sent the position; null when unknown';

COMMENT ON COLUMN scroll.standing.machine IS 'The machine';
COMMENT ON COLUMN scroll.standing.generation IS 'The generation of the log in which it was written';
COMMENT ON COLUMN scroll.standing.position IS 'The place in the machine''s log, 1 for the first';
COMMENT ON COLUMN scroll.standing.received IS 'When the daemon received it, by the daemon''s clock, to the microsecond';
COMMENT ON COLUMN scroll.standing.session IS 'The id under which the log has the session';
COMMENT ON COLUMN scroll.standing.client IS 'The name of the client; a backslash is \\, a NUL \0';
COMMENT ON COLUMN scroll.standing.uid IS 'The user id of the client on its machine';
COMMENT ON COLUMN scroll.standing.number IS 'The place of an event in its session, 1 for the first; null for other records';
COMMENT ON COLUMN scroll.standing.kind IS 'The kind of an event, or open, close, request, response';
COMMENT ON COLUMN scroll.standing.time IS 'When it happened, by the client''s clock, to the microsecond';
COMMENT ON COLUMN scroll.standing.x IS 'Horizontal offset of the content, in points';
COMMENT ON COLUMN scroll.standing.y IS 'Vertical offset of the content, in points';
COMMENT ON COLUMN scroll.standing.body IS 'The other members, lengths in points; in texts a backslash is \\ and a NUL \0, and a number with an exponent is a text';

INSERT INTO scroll.version (version) VALUES (3);
