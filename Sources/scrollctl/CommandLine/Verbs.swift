extension Verb {
  /// All verbs, in the order of help.
  static let all: [Verb] = [
    .demo,
    .list, .status, .explain, .watch, .log, .record, .scrollTo,
    .fold, .compare, .timeline, .check, .policies,
    .statistics, .reload, .sync, .rotate, .vacuum, .forget, .backup, .export, .import, .verify, .repair,
  ]
}
