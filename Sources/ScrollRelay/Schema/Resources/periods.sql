-- Partitions of scroll.record and scroll.transition by the time of receiving.
CREATE TABLE scroll.period (
  unit text NOT NULL CHECK (unit IN ('day', 'week', 'month')),
  machines integer NOT NULL
);
COMMENT ON TABLE scroll.period IS 'How scroll.record and scroll.transition are divided by time; it has one row';
COMMENT ON COLUMN scroll.period.unit IS 'How long the time of a partition is, in UTC: day, week or month';
COMMENT ON COLUMN scroll.period.machines IS 'Into how many partitions by machine each of them is divided; 0 for none';
CREATE TABLE scroll.record_rest PARTITION OF scroll.record DEFAULT;
COMMENT ON TABLE scroll.record_rest IS 'The records of times that have no partition yet; scroll-relay init moves them';
CREATE TABLE scroll.transition_rest PARTITION OF scroll.transition DEFAULT;
COMMENT ON TABLE scroll.transition_rest IS 'The transitions of times that have no partition yet; scroll-relay init moves them';

CREATE FUNCTION scroll.make_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  period scroll.period;
  parent text;
  name text;
  start timestamp;
  starts timestamp[];
  step interval;
  ahead integer;
BEGIN
  SELECT * INTO STRICT period FROM scroll.period;
  step := ('1 ' || period.unit)::interval;
  ahead := CASE period.unit WHEN 'day' THEN 14 WHEN 'week' THEN 8 ELSE 3 END;
  FOREACH parent IN ARRAY ARRAY['record', 'transition'] LOOP
    -- Nothing may come into the rest between moving its rows and attaching their partition.
    EXECUTE format('LOCK TABLE scroll.%I IN ACCESS EXCLUSIVE MODE', parent || '_rest');
    EXECUTE format(
      'SELECT array_agg(s ORDER BY s) FROM ('
      'SELECT date_trunc(%1$L, now() AT TIME ZONE ''UTC'') + n * %2$L::interval FROM generate_series(0, %3$s) AS n '
      'UNION SELECT date_trunc(%1$L, received AT TIME ZONE ''UTC'') FROM scroll.%4$I '
      'WHERE received < now() + %3$s * %2$L::interval) AS q (s)', period.unit, step, ahead, parent || '_rest') INTO starts;
    FOREACH start IN ARRAY starts LOOP
      name := parent || to_char(start, CASE period.unit WHEN 'month' THEN '_YYYY_MM' ELSE '_YYYY_MM_DD' END);
      CONTINUE WHEN to_regclass(format('scroll.%I', name)) IS NOT NULL;
      EXECUTE format('CREATE TABLE scroll.%I (LIKE scroll.%I INCLUDING DEFAULTS INCLUDING COMMENTS) %s', name, parent,
        CASE WHEN period.machines > 0 THEN 'PARTITION BY HASH (machine)' ELSE '' END);
      FOR part IN 0 .. period.machines - 1 LOOP
        EXECUTE format('CREATE TABLE scroll.%I PARTITION OF scroll.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
          name || '_' || part, name, period.machines, part);
      END LOOP;
      EXECUTE format(
        'WITH moved AS (DELETE FROM scroll.%I WHERE received >= %L AND received < %L RETURNING *) '
        'INSERT INTO scroll.%I SELECT * FROM moved',
        parent || '_rest', start AT TIME ZONE 'UTC', (start + step) AT TIME ZONE 'UTC', name);
      EXECUTE format('ALTER TABLE scroll.%I ATTACH PARTITION scroll.%I FOR VALUES FROM (%L) TO (%L)',
        parent, name, start AT TIME ZONE 'UTC', (start + step) AT TIME ZONE 'UTC');
    END LOOP;
  END LOOP;
END $$;
COMMENT ON FUNCTION scroll.make_partitions() IS 'Makes the partitions of the present and the next times, and of the times in the rest';
