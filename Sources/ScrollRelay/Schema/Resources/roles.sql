-- The roles. They cannot log in: grant them to those that can.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'scroll_relay') THEN CREATE ROLE scroll_relay NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'scroll_reader') THEN CREATE ROLE scroll_reader NOLOGIN; END IF;
END $$;
GRANT USAGE ON SCHEMA scroll TO scroll_relay, scroll_reader;
-- Not on partitions: row security is that of the whole table, and a query of it needs no right on them.
DO $$ DECLARE name regclass; BEGIN
  FOR name IN SELECT oid FROM pg_class
    WHERE relnamespace = 'scroll'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition LOOP
    EXECUTE format('GRANT SELECT ON %s TO scroll_relay, scroll_reader', name);
  END LOOP;
END $$;
GRANT INSERT, UPDATE, DELETE ON scroll.machine, scroll.record, scroll.session, scroll.transition, scroll.gap, scroll.forgotten
  TO scroll_relay;
