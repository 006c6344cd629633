-- The roles. They cannot log in: grant them to those that can.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'scroll_relay') THEN CREATE ROLE scroll_relay NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'scroll_reader') THEN CREATE ROLE scroll_reader NOLOGIN; END IF;
END $$;
GRANT USAGE ON SCHEMA scroll TO scroll_relay, scroll_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA scroll TO scroll_relay, scroll_reader;
GRANT INSERT, UPDATE, DELETE ON scroll.machine, scroll.record, scroll.session, scroll.transition, scroll.gap, scroll.forgotten
  TO scroll_relay;
