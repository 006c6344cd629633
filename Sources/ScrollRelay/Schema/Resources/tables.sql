-- Version 1: the tables. The first column of each is the machine, and every transaction of a relay touches one machine's rows.

CREATE SCHEMA IF NOT EXISTS scroll;
COMMENT ON SCHEMA scroll IS 'The logs of scrolld of many machines, copied by scroll-relay';

CREATE TABLE scroll.version (
  version integer NOT NULL,
  made timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE scroll.version IS 'The versions that this schema has had; the greatest one is in force';
COMMENT ON COLUMN scroll.version.version IS 'A version, 1 for the first';
COMMENT ON COLUMN scroll.version.made IS 'When scroll-relay init made it';

CREATE TABLE scroll.machine (
  machine uuid NOT NULL,
  name text NOT NULL,
  generation bigint NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT 0,
  received timestamptz,
  forgotten text,
  seen timestamptz NOT NULL DEFAULT now(),
  lag interval,
  records bigint NOT NULL DEFAULT 0,
  retries bigint NOT NULL DEFAULT 0,
  version text
) /*partitions*/;
COMMENT ON TABLE scroll.machine IS 'One row for each machine: the cursor up to which its log is stored';
COMMENT ON COLUMN scroll.machine.machine IS 'The id of the machine, derived from /etc/machine-id';
COMMENT ON COLUMN scroll.machine.name IS 'The name of the machine, for people';
COMMENT ON COLUMN scroll.machine.generation IS 'The generation of the log that the position belongs to';
COMMENT ON COLUMN scroll.machine.position IS 'The last position that is stored';
COMMENT ON COLUMN scroll.machine.received IS 'When the daemon received the record there, by its clock; null when unknown';
COMMENT ON COLUMN scroll.machine.forgotten IS 'The list of forgotten sessions that was carried out here';
COMMENT ON COLUMN scroll.machine.seen IS 'When the relay committed last, by the server''s clock';
COMMENT ON COLUMN scroll.machine.lag IS 'Time from the receiving of the last record to its commit here';
COMMENT ON COLUMN scroll.machine.records IS 'How many records were stored, including those that were removed later';
COMMENT ON COLUMN scroll.machine.retries IS 'How many times the relay has had to begin again since it started';
COMMENT ON COLUMN scroll.machine.version IS 'The version of the relay';

CREATE TABLE scroll.record (
  machine uuid NOT NULL,
  generation bigint NOT NULL,
  position bigint NOT NULL,
  received timestamptz NOT NULL,
  session uuid NOT NULL,
  client text NOT NULL,
  uid bigint NOT NULL,
  number bigint,
  kind text NOT NULL,
  time timestamptz NOT NULL,
  x double precision,
  y double precision,
  body jsonb,
  stands boolean NOT NULL DEFAULT true
) /*divided*/;
COMMENT ON TABLE scroll.record IS 'One row for each record of the logs';
COMMENT ON COLUMN scroll.record.machine IS 'The machine';
COMMENT ON COLUMN scroll.record.generation IS 'The generation of the log in which it was written';
COMMENT ON COLUMN scroll.record.position IS 'The place in the machine''s log, 1 for the first';
COMMENT ON COLUMN scroll.record.received IS 'When the daemon received it, by the daemon''s clock, to the microsecond';
COMMENT ON COLUMN scroll.record.session IS 'The id under which the log has the session';
COMMENT ON COLUMN scroll.record.client IS 'The name of the client; a backslash is \\, a NUL \0';
COMMENT ON COLUMN scroll.record.uid IS 'The user id of the client on its machine';
COMMENT ON COLUMN scroll.record.number IS 'The place of an event in its session, 1 for the first; null for other records';
COMMENT ON COLUMN scroll.record.kind IS 'The kind of an event, or open, close, request, response';
COMMENT ON COLUMN scroll.record.time IS 'When it happened, by the client''s clock, to the microsecond';
COMMENT ON COLUMN scroll.record.x IS 'Horizontal offset of the content, in points';
COMMENT ON COLUMN scroll.record.y IS 'Vertical offset of the content, in points';
COMMENT ON COLUMN scroll.record.body IS 'The other members, lengths in points; in texts a backslash is \\ and a NUL \0, and a number with an exponent is a text';
COMMENT ON COLUMN scroll.record.stands IS 'False if a crash of the machine took the position back';

CREATE TABLE scroll.session (
  machine uuid NOT NULL,
  session uuid NOT NULL,
  given uuid,
  client text NOT NULL,
  uid bigint NOT NULL,
  application text,
  title text,
  policy text NOT NULL,
  received timestamptz NOT NULL,
  opened timestamptz,
  opened_position bigint,
  closed timestamptz,
  closed_position bigint,
  reason text,
  events bigint,
  duration interval,
  reach double precision,
  flips bigint,
  flickers bigint,
  stands boolean NOT NULL DEFAULT true
) /*partitions*/;
COMMENT ON TABLE scroll.session IS 'One row for each session of which a record was stored';
COMMENT ON COLUMN scroll.session.machine IS 'The machine';
COMMENT ON COLUMN scroll.session.session IS 'The id under which the log has the session';
COMMENT ON COLUMN scroll.session.given IS 'The id that its user knows, if that is another one';
COMMENT ON COLUMN scroll.session.client IS 'The name of the client; a backslash is \\, a NUL \0';
COMMENT ON COLUMN scroll.session.uid IS 'The user id of the client on its machine';
COMMENT ON COLUMN scroll.session.application IS 'The application''s name and version; null when unknown';
COMMENT ON COLUMN scroll.session.title IS 'What the scroll view shows; null when unknown';
COMMENT ON COLUMN scroll.session.policy IS 'The name of the policy with which it began';
COMMENT ON COLUMN scroll.session.received IS 'When the daemon received the opening, by the daemon''s clock';
COMMENT ON COLUMN scroll.session.opened IS 'When it was opened, by the client''s clock; null when the opening was never stored';
COMMENT ON COLUMN scroll.session.opened_position IS 'The position of the opening; null when it was never stored';
COMMENT ON COLUMN scroll.session.closed IS 'When it was closed, by the client''s clock; null while it is open';
COMMENT ON COLUMN scroll.session.closed_position IS 'The position of the closing; null while it is open';
COMMENT ON COLUMN scroll.session.reason IS 'Why it was closed: asked, reopened, idle, disconnected or forgotten';
COMMENT ON COLUMN scroll.session.events IS 'How many events it had when it was closed';
COMMENT ON COLUMN scroll.session.duration IS 'From the first event to the last or to the closing, by the client''s clock';
COMMENT ON COLUMN scroll.session.reach IS 'How much of the content was ever on screen, from 0 to 1';
COMMENT ON COLUMN scroll.session.flips IS 'How many times the toolbar turned';
COMMENT ON COLUMN scroll.session.flickers IS 'How many of these undid another one within 300 ms';
COMMENT ON COLUMN scroll.session.stands IS 'False if a crash of the machine took the opening back';

CREATE TABLE scroll.transition (
  machine uuid NOT NULL,
  generation bigint NOT NULL,
  position bigint NOT NULL,
  received timestamptz NOT NULL,
  session uuid NOT NULL,
  uid bigint NOT NULL,
  time timestamptz NOT NULL,
  toolbar text NOT NULL,
  trigger text,
  reach_bottom boolean NOT NULL,
  changed text[] NOT NULL,
  reason text,
  stands boolean NOT NULL DEFAULT true
) /*divided*/;
COMMENT ON TABLE scroll.transition IS 'One row for each event that changed a watched field of its session''s state';
COMMENT ON COLUMN scroll.transition.machine IS 'The machine';
COMMENT ON COLUMN scroll.transition.generation IS 'The generation of the event';
COMMENT ON COLUMN scroll.transition.position IS 'The position of the event';
COMMENT ON COLUMN scroll.transition.received IS 'When the daemon received the event, by the daemon''s clock, to the microsecond';
COMMENT ON COLUMN scroll.transition.session IS 'The id under which the log has the session';
COMMENT ON COLUMN scroll.transition.uid IS 'The user id of the client on its machine';
COMMENT ON COLUMN scroll.transition.time IS 'The time of the event, by the client''s clock';
COMMENT ON COLUMN scroll.transition.toolbar IS 'The toolbar after the event: shown or hidden';
COMMENT ON COLUMN scroll.transition.trigger IS 'What last decided the toolbar; null when nothing has';
COMMENT ON COLUMN scroll.transition.reach_bottom IS 'Whether the end of the content is on screen after the event';
COMMENT ON COLUMN scroll.transition.changed IS 'The fields that changed';
COMMENT ON COLUMN scroll.transition.reason IS 'The clause that decided, with its numbers; null when no trigger fired';
COMMENT ON COLUMN scroll.transition.stands IS 'False if a crash of the machine took the position back';

CREATE TABLE scroll.gap (
  machine uuid NOT NULL,
  generation bigint NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL
) /*partitions*/;
COMMENT ON TABLE scroll.gap IS 'Positions that retention had removed before the relay could store them';
COMMENT ON COLUMN scroll.gap.machine IS 'The machine';
COMMENT ON COLUMN scroll.gap.generation IS 'The generation of the last of them';
COMMENT ON COLUMN scroll.gap.first IS 'The first position that is missing';
COMMENT ON COLUMN scroll.gap.last IS 'The last position that is missing';

CREATE TABLE scroll.forgotten (
  machine uuid NOT NULL,
  session uuid NOT NULL,
  removed timestamptz NOT NULL DEFAULT now()
) /*partitions*/;
COMMENT ON TABLE scroll.forgotten IS 'Sessions whose rows were removed because they were forgotten on their machine';
COMMENT ON COLUMN scroll.forgotten.machine IS 'The machine';
COMMENT ON COLUMN scroll.forgotten.session IS 'The id under which the log had the session';
COMMENT ON COLUMN scroll.forgotten.removed IS 'When the rows were removed, by the server''s clock';

INSERT INTO scroll.version (version) VALUES (1);
