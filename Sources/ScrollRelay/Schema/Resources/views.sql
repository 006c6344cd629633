-- Version 2: views that answer questions over all machines. They show the history that stands.

CREATE VIEW scroll.standing AS
  SELECT machine, generation, position, received, session, client, uid, number, kind, time, x, y, body
  FROM scroll.record WHERE stands;
COMMENT ON VIEW scroll.standing IS 'The records that no crash took back';

CREATE VIEW scroll.reach_curve AS
  SELECT percent, count(*) AS sessions,
    avg(CASE WHEN reach >= percent / 100.0 THEN 1 ELSE 0 END)::double precision AS share
  FROM generate_series(1, 100) AS percent, scroll.session
  WHERE stands AND reach IS NOT NULL
  GROUP BY percent;
COMMENT ON VIEW scroll.reach_curve IS 'For each percent of the content, the share of closed sessions that had it on screen';
COMMENT ON COLUMN scroll.reach_curve.percent IS 'How far into the content, 1 to 100';
COMMENT ON COLUMN scroll.reach_curve.sessions IS 'How many sessions are counted: the closed ones whose reach is known';
COMMENT ON COLUMN scroll.reach_curve.share IS 'Which share of them reached it, from 0 to 1';

CREATE VIEW scroll.reading_by_title AS
  SELECT title, count(*) AS sessions, count(DISTINCT machine) AS machines,
    avg(CASE WHEN reach >= 0.98 THEN 1 ELSE 0 END)::double precision AS reached_end,
    percentile_cont(0.25) WITHIN GROUP (ORDER BY reach) AS reach_q1,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY reach) AS reach_median,
    percentile_cont(0.75) WITHIN GROUP (ORDER BY reach) AS reach_q3,
    percentile_cont(0.25) WITHIN GROUP (ORDER BY duration) AS duration_q1,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) AS duration_median,
    percentile_cont(0.75) WITHIN GROUP (ORDER BY duration) AS duration_q3
  FROM scroll.session
  WHERE stands AND reach IS NOT NULL
  GROUP BY title;
COMMENT ON VIEW scroll.reading_by_title IS 'Quartiles of the closed sessions of each title';
COMMENT ON COLUMN scroll.reading_by_title.title IS 'What the scroll view showed';
COMMENT ON COLUMN scroll.reading_by_title.sessions IS 'How many closed sessions it had whose reach is known';
COMMENT ON COLUMN scroll.reading_by_title.machines IS 'On how many machines';
COMMENT ON COLUMN scroll.reading_by_title.reached_end IS 'Which share of them had at least 98 % of the content on screen, from 0 to 1';
COMMENT ON COLUMN scroll.reading_by_title.reach_q1 IS 'First quartile of the reach, from 0 to 1';
COMMENT ON COLUMN scroll.reading_by_title.reach_median IS 'Median of the reach, from 0 to 1';
COMMENT ON COLUMN scroll.reading_by_title.reach_q3 IS 'Third quartile of the reach, from 0 to 1';
COMMENT ON COLUMN scroll.reading_by_title.duration_q1 IS 'First quartile of the duration';
COMMENT ON COLUMN scroll.reading_by_title.duration_median IS 'Median of the duration';
COMMENT ON COLUMN scroll.reading_by_title.duration_q3 IS 'Third quartile of the duration';

CREATE VIEW scroll.time_to_bottom AS
  SELECT s.machine, s.session, s.client, s.title, t.bottom - r.began AS bottom_reached
  FROM scroll.session AS s
  JOIN (SELECT machine, session, min(time) AS bottom FROM scroll.transition
    WHERE stands AND reach_bottom AND 'reachBottom' = ANY (changed) GROUP BY machine, session) AS t
    ON t.machine = s.machine AND t.session = s.session
  JOIN (SELECT machine, session, min(time) AS began FROM scroll.record
    WHERE stands AND number = 1 GROUP BY machine, session) AS r
    ON r.machine = s.machine AND r.session = s.session
  WHERE s.stands;
COMMENT ON VIEW scroll.time_to_bottom IS 'How long after its first event each session first had the end of the content on screen';
COMMENT ON COLUMN scroll.time_to_bottom.machine IS 'The machine';
COMMENT ON COLUMN scroll.time_to_bottom.session IS 'The session';
COMMENT ON COLUMN scroll.time_to_bottom.client IS 'The name of the client';
COMMENT ON COLUMN scroll.time_to_bottom.title IS 'What the scroll view showed';
COMMENT ON COLUMN scroll.time_to_bottom.bottom_reached IS 'Time from the first event to the one that reached the bottom, by the client''s clock';

CREATE VIEW scroll.flickers_by_policy AS
  SELECT policy, count(*) AS sessions, sum(flips) AS flips, sum(flickers) AS flickers
  FROM scroll.session
  WHERE stands AND flickers IS NOT NULL
  GROUP BY policy;
COMMENT ON VIEW scroll.flickers_by_policy IS 'How often toolbars turned and flickered in the closed sessions of each policy';
COMMENT ON COLUMN scroll.flickers_by_policy.policy IS 'The name of the policy';
COMMENT ON COLUMN scroll.flickers_by_policy.sessions IS 'How many closed sessions it had';
COMMENT ON COLUMN scroll.flickers_by_policy.flips IS 'How many times their toolbars turned';
COMMENT ON COLUMN scroll.flickers_by_policy.flickers IS 'How many of these undid another one within 300 ms';

INSERT INTO scroll.version (version) VALUES (2);
