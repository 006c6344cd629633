-- Version 3: the measures of each session, computed from its records. They show the history that stands.

CREATE VIEW scroll.reading AS
  WITH event AS (
    SELECT machine, session, number, kind, time, y, body ->> 'source' AS source,
      CASE WHEN kind = 'layout' THEN (body ->> 'contentHeight')::double precision END AS content,
      CASE WHEN kind = 'layout' THEN (body ->> 'frameHeight')::double precision END AS frame,
      CASE WHEN kind = 'layout' THEN (body ->> 'insetTop')::double precision END AS inset_top,
      CASE WHEN kind = 'layout' THEN (body ->> 'insetBottom')::double precision END AS inset_bottom
    FROM scroll.record WHERE stands AND number IS NOT NULL
  ), numbered AS (
    -- An absent field keeps its value: rows with the same count have the same one.
    SELECT *, first_value(time) OVER w AS began, count(y) OVER w AS ys, count(content) OVER w AS contents,
      count(frame) OVER w AS frames, count(inset_top) OVER w AS inset_tops, count(inset_bottom) OVER w AS inset_bottoms
    FROM event WINDOW w AS (PARTITION BY machine, session ORDER BY number)
  ), known AS (
    SELECT machine, session, number, kind, time, source, greatest(time - began, interval '0') AS elapsed,
      max(y) OVER (PARTITION BY machine, session, ys) AS y,
      max(content) OVER (PARTITION BY machine, session, contents) AS content,
      max(frame) OVER (PARTITION BY machine, session, frames) AS frame,
      coalesce(max(inset_top) OVER (PARTITION BY machine, session, inset_tops), 0) AS inset_top,
      coalesce(max(inset_bottom) OVER (PARTITION BY machine, session, inset_bottoms), 0) AS inset_bottom
    FROM numbered
  ), bounded AS (
    SELECT *, 0 - inset_top AS low,
      CASE WHEN content IS NOT NULL AND frame > 0 THEN greatest(0 - inset_top, content + inset_bottom - frame) END AS high
    FROM known WHERE kind NOT IN ('zoomBegin', 'zoom', 'zoomEnd') AND y IS NOT NULL
  ), sample AS (
    SELECT machine, session, number, kind, time, source, elapsed, y, lead(time) OVER w AS next_time,
      y - lag(y) OVER w AS moved, lag(y) OVER k AS scroll_y, lag(time) OVER k AS scroll_time,
      CASE WHEN high IS NOT NULL AND content + inset_top + inset_bottom > 0 THEN
        least(1, greatest(0, (least(greatest(y, low), high) + frame + inset_bottom) / (content + inset_top + inset_bottom))) END AS reach,
      CASE WHEN high > low THEN (least(greatest(y, low), high) - low) / (high - low) END AS scrolled
    FROM bounded
    WINDOW w AS (PARTITION BY machine, session ORDER BY number), k AS (PARTITION BY machine, session, kind ORDER BY number)
  ), measured AS (
    SELECT sample.*, least(greatest(coalesce(next_time, s.closed) - sample.time, interval '0'), interval '30 s') AS active,
      CASE WHEN kind <> 'layout' AND source IS DISTINCT FROM 'layout' THEN moved END AS distance,
      CASE WHEN kind = 'scroll' THEN y - scroll_y END AS step,
      CASE WHEN kind = 'scroll' AND sample.time > scroll_time THEN
        abs(y - scroll_y) / (extract(epoch FROM sample.time - scroll_time)::double precision * 1000) END AS speed
    FROM sample JOIN scroll.session AS s ON s.machine = sample.machine AND s.session = sample.session
  ), summary AS (
    SELECT machine, session, coalesce(sum(active), interval '0') AS active_time, max(reach) AS reach, max(scrolled) AS scrolled,
      (array_agg(elapsed ORDER BY number) FILTER (WHERE reach >= 0.25 - 1e-12))[1] AS reached25,
      (array_agg(elapsed ORDER BY number) FILTER (WHERE reach >= 0.5 - 1e-12))[1] AS reached50,
      (array_agg(elapsed ORDER BY number) FILTER (WHERE reach >= 0.75 - 1e-12))[1] AS reached75,
      (array_agg(elapsed ORDER BY number) FILTER (WHERE reach >= 0.9 - 1e-12))[1] AS reached90,
      (array_agg(elapsed ORDER BY number) FILTER (WHERE reach >= 1 - 1e-12))[1] AS reached100,
      coalesce(sum(abs(distance)), 0) AS distance, coalesce(sum(-distance) FILTER (WHERE distance < 0), 0) AS distance_up,
      count(*) FILTER (WHERE step < 0) AS regressions, avg(speed) AS mean_speed, max(speed) AS max_speed
    FROM measured GROUP BY machine, session
  ), hidden AS (
    SELECT t.machine, t.session, sum(greatest(t.ends - t.time, interval '0')) AS span
    FROM (SELECT machine, session, time, toolbar, lead(time) OVER (PARTITION BY machine, session ORDER BY position) AS ends
        FROM scroll.transition WHERE stands AND 'toolbar' = ANY (changed)) AS x
      JOIN scroll.session AS s USING (machine, session)
      CROSS JOIN LATERAL (SELECT x.machine, x.session, x.time, coalesce(x.ends, s.closed) AS ends) AS t
    WHERE x.toolbar = 'hidden' GROUP BY t.machine, t.session
  )
  SELECT s.machine, s.session, s.client, s.application, s.title, s.policy, s.duration, m.active_time, m.reach, m.scrolled,
    m.reached25, m.reached50, m.reached75, m.reached90, m.reached100, m.distance, m.distance_up, m.regressions, m.mean_speed,
    m.max_speed,
    CASE WHEN m.active_time < interval '10 s' THEN 'bounce' WHEN m.reach <= 0.5 THEN 'shallow'
      WHEN m.reach >= 0.98 THEN 'complete' WHEN m.reach IS NOT NULL THEN 'deep' END AS depth,
    CASE WHEN s.duration > interval '0' THEN least(1, coalesce(extract(epoch FROM h.span), 0)::double precision
      / extract(epoch FROM s.duration)::double precision) END AS toolbar_hidden, s.flips, s.flickers
  FROM scroll.session AS s
  JOIN summary AS m ON m.machine = s.machine AND m.session = s.session
  LEFT JOIN hidden AS h ON h.machine = s.machine AND h.session = s.session
  WHERE s.stands AND s.closed IS NOT NULL;
COMMENT ON VIEW scroll.reading IS 'The measures of each closed session, as scrollctl reading prints them, computed from its records by each query';
COMMENT ON COLUMN scroll.reading.machine IS 'The machine';
COMMENT ON COLUMN scroll.reading.session IS 'The id under which the log has the session';
COMMENT ON COLUMN scroll.reading.client IS 'The name of the client; a backslash is \\, a NUL \0';
COMMENT ON COLUMN scroll.reading.application IS 'The application''s name and version; null when unknown';
COMMENT ON COLUMN scroll.reading.title IS 'What the scroll view shows; null when unknown';
COMMENT ON COLUMN scroll.reading.policy IS 'The name of the policy with which it began';
COMMENT ON COLUMN scroll.reading.duration IS 'From the first event to the closing, by the client''s clock';
COMMENT ON COLUMN scroll.reading.active_time IS 'Time between samples, of each interval at most 30 s';
COMMENT ON COLUMN scroll.reading.reach IS 'How much of the content was ever on screen, from 0 to 1; null when unknown';
COMMENT ON COLUMN scroll.reading.scrolled IS 'The greatest share of the scrollable range above the offset, from 0 to 1; null when nothing scrolls';
COMMENT ON COLUMN scroll.reading.reached25 IS 'Time from the first event until the reach was 25 %; null if never';
COMMENT ON COLUMN scroll.reading.reached50 IS 'Time from the first event until the reach was 50 %; null if never';
COMMENT ON COLUMN scroll.reading.reached75 IS 'Time from the first event until the reach was 75 %; null if never';
COMMENT ON COLUMN scroll.reading.reached90 IS 'Time from the first event until the reach was 90 %; null if never';
COMMENT ON COLUMN scroll.reading.reached100 IS 'Time from the first event until the reach was 100 %; null if never';
COMMENT ON COLUMN scroll.reading.distance IS 'How far the content moved, without relayouts and zooming, in points';
COMMENT ON COLUMN scroll.reading.distance_up IS 'The part of the distance upwards, in points';
COMMENT ON COLUMN scroll.reading.regressions IS 'How many scroll events are above the scroll event before';
COMMENT ON COLUMN scroll.reading.mean_speed IS 'Mean speed between consecutive scroll events, in points per millisecond; null without any';
COMMENT ON COLUMN scroll.reading.max_speed IS 'Greatest speed between consecutive scroll events, in points per millisecond; null without any';
COMMENT ON COLUMN scroll.reading.depth IS 'bounce (active for less than 10 s), shallow (reach up to 0.5), deep or complete (reach from 0.98); null when unknown';
COMMENT ON COLUMN scroll.reading.toolbar_hidden IS 'Share of the duration with the toolbar hidden, from 0 to 1; null for no duration';
COMMENT ON COLUMN scroll.reading.flips IS 'How many times the toolbar turned';
COMMENT ON COLUMN scroll.reading.flickers IS 'How many of these undid another one within 300 ms';

CREATE VIEW scroll.reading_by_depth AS
  SELECT depth, count(*) AS sessions, percentile_cont(0.5) WITHIN GROUP (ORDER BY active_time) AS active_time_median,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY regressions) AS regressions_median,
    avg(CASE WHEN regressions > 0 THEN 1 ELSE 0 END)::double precision AS turned_back
  FROM scroll.reading GROUP BY depth;
COMMENT ON VIEW scroll.reading_by_depth IS 'Active time and regressions of the closed sessions of each depth';
COMMENT ON COLUMN scroll.reading_by_depth.depth IS 'How deep somebody read: bounce, shallow, deep or complete; null when unknown';
COMMENT ON COLUMN scroll.reading_by_depth.sessions IS 'How many closed sessions it had';
COMMENT ON COLUMN scroll.reading_by_depth.active_time_median IS 'Median of the active time';
COMMENT ON COLUMN scroll.reading_by_depth.regressions_median IS 'Median of the number of regressions';
COMMENT ON COLUMN scroll.reading_by_depth.turned_back IS 'Which share of them turned back at least once, from 0 to 1';
