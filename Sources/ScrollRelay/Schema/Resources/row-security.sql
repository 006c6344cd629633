-- Readers see the rows of the user ids that are listed for them; without an entry, none.
CREATE TABLE IF NOT EXISTS scroll.reader (
  role name NOT NULL,
  machine uuid,
  uid bigint,
  UNIQUE (role, machine, uid)
);
COMMENT ON TABLE scroll.reader IS 'Whose rows a role may read that is a member of scroll_reader';
COMMENT ON COLUMN scroll.reader.role IS 'The role that logs in';
COMMENT ON COLUMN scroll.reader.machine IS 'The machine; null for all machines';
COMMENT ON COLUMN scroll.reader.uid IS 'The user id on it; null for all user ids';
GRANT SELECT ON scroll.reader TO scroll_reader, scroll_relay;
DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['record', 'session', 'transition'] LOOP
    EXECUTE format('ALTER TABLE scroll.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('DROP POLICY IF EXISTS relay ON scroll.%I', name);
    EXECUTE format('DROP POLICY IF EXISTS reader ON scroll.%I', name);
    EXECUTE format('CREATE POLICY relay ON scroll.%I TO scroll_relay USING (true) WITH CHECK (true)', name);
    EXECUTE format('CREATE POLICY reader ON scroll.%I FOR SELECT TO scroll_reader USING (EXISTS (SELECT FROM scroll.reader AS r '
      'WHERE r.role = current_user AND (r.machine IS NULL OR r.machine = %I.machine) AND (r.uid IS NULL OR r.uid = %I.uid)))',
      name, name, name);
  END LOOP;
END $$;
-- A view would read with the rights of its owner, who sees everything.
DO $$ DECLARE view record; BEGIN
  FOR view IN SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'scroll' AND c.relkind = 'v' LOOP
    EXECUTE format('ALTER VIEW scroll.%I SET (security_invoker = true)', view.relname);
  END LOOP;
END $$;
