/// The exit status of the process.
enum ExitStatus: Int32 {
  /// The verb succeeded.
  case done = 0
  /// The verb failed, or a check found a problem.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
}
