extension Verb {
  /// All verbs, in the order of help.
  static let all: [Verb] = [
    .demo,
    .list, .sessions, .status, .explain, .watch, .log, .record, .scrollTo,
    .fold, .compare, .sweep, .timeline, .check, .reading, .reportPage, .convert, .policies,
    .statistics, .reload, .sync, .rotate, .vacuum, .forget, .forgotten, .backup, .restore, .export, .import, .verify,
    .repair,
  ]
}
