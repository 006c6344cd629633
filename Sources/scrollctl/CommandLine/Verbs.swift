// The table of verbs.

extension Verb {
  /// Every verb, in the order of the help.
  static let all: [Verb] = [
    .fold, .policies,
    //x
    //x
  ]
}
