import Platform

/// What all figures of the table share.
struct TableSettings {
  /// The parent of the temporary directories.
  let directory: String
  let load: Load
  /// How often each figure is measured.
  var runs: Int
  /// The path of `redis-server`; `nil` when it is not installed.
  let redis: String?
  /// The processors that this program may use.
  let processors: [Int]

  /// Where client and server run.
  enum Placement: String, CaseIterable {
    case twoCores = "two cores"
    case oneCore = "one core"
  }

  /// Runs a closure that starts a server, with the server on its processor.
  func startingServer<Server>(_ placement: Placement, _ start: () throws -> Server) throws -> Server {
    try run(on: placement == .twoCores ? [processors[1 % processors.count]] : [processors[0]])
    defer { try? run(on: [processors[0]]) }
    return try start()
  }

  /// Keeps this program on some processors.
  func run(on processors: [Int]) throws {
    try SystemError.wrapping("choose processors") { () throws(Errno) in
      try CurrentProcess.run(onProcessors: processors)
    }
  }
}
