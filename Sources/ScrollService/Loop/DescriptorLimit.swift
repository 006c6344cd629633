// How many file descriptors the process may have open, and how many connections that is enough for.

import Platform

/// How many file descriptors the process may have open, and how many connections that is enough for.
struct DescriptorLimit {
  /// How many descriptors the rest of the daemon needs: the log's segment, the next one, directories, timers, signals.
  private static let reserve = 24
  /// How many a connection may come to: its socket, and the segment that its stream reads.
  private static let perConnection = 2

  /// How many connections there may be, so that the log is never short of a descriptor.
  let connections: Int

  /// Raises the process's limit as far as it may be raised (setrlimit(2)).
  ///
  /// - Throws: ``SystemError`` when the limit can't be told.
  init() throws(SystemError) {
    let limit = try SystemError.wrapping("ask for the limit of", "file descriptors") { () throws(Errno) in
      try CurrentProcess.raiseDescriptorLimit()
    }
    connections = max(0, limit - Self.reserve) / Self.perConnection
  }
}
