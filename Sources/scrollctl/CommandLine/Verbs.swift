// The table of verbs.

extension Verb {
  /// Every verb, in the order of the help.
  static let all: [Verb] = [
    .demo,
    .list, .status, .explain, .watch, .log, .record, .scrollTo,
    .fold, .compare, .timeline, .policies,
    .statistics, .reload, .sync, .rotate, .vacuum, .forget, .backup, .export, .import, .verify, .repair,
  ]
}
