// The table of verbs.

extension Verb {
  /// Every verb, in the order of the help.
  static let all: [Verb] = [
    .list, .status, .watch, .log, .record,
    .fold, .policies,
    .statistics, .reload, .sync, .rotate,
  ]
}
