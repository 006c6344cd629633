// What the process tells whoever started it.

/// What the process tells whoever started it.
enum ExitStatus: Int32 {
  /// It is done.
  case done = 0
  /// It failed, or what was to be checked is not so.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
}
