import Platform

/// The least that a server can do with a message: send it on, after writing and syncing it if asked.
///
/// It runs as a process of its own and serves one client with blocking calls, without a loop and without parsing. No daemon
/// that does the same work by system calls can be faster.
struct FloorServer {
  /// What it does with each message.
  enum Work: String, CaseIterable {
    /// Sends it back.
    case echo
    /// Writes it to a file, syncs the file, and sends it back.
    case syncedEcho = "synced-echo"
    /// Sends it to the second connection.
    case relay
    /// Writes it to a file, syncs the file, and sends it to the second connection.
    case syncedRelay = "synced-relay"

    var syncs: Bool { self == .syncedEcho || self == .syncedRelay }
    var isRelay: Bool { self == .relay || self == .syncedRelay }
  }

  /// How far the file is reserved, as the daemon reserves its segments.
  private static let reserve: Int64 = 64 << 20

  private let work: Work
  private let directory: String

  init(_ arguments: Arguments) throws {
    var arguments = arguments
    let name = arguments.text("--work") ?? "echo"
    guard let work = Work(rawValue: name) else {
      throw Arguments.Problem(
        "--work is “\(name)”: it must be one of \(Work.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let directory = arguments.text("--directory") else { throw Arguments.Problem("floor needs --directory") }
    self.work = work
    self.directory = directory
    try arguments.finish()
  }

  /// Serves until the first client ends its side.
  func run() throws {
    let listener = try FileDescriptor(socket: .stream)
    try listener.borrowed.bind(to: .path(directory + "/socket"))
    try listener.borrowed.listen(backlog: 8)
    let source = Handle(FileDescriptor(try listener.borrowed.accept()))
    let target = work.isRelay ? Handle(FileDescriptor(try listener.borrowed.accept())) : source
    try withExtendedLifetime((source, target)) {
      try serve(from: source.borrowed, to: target.borrowed, file: work.syncs ? openFile() : nil)
    }
  }

  /// A descriptor that can be optional.
  private final class Handle {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    var borrowed: BorrowedDescriptor { descriptor.borrowed }
  }

  private func openFile() throws -> Handle {
    let file = try FileDescriptor(opening: directory + "/file", [.writeOnly, .create, .exclusive])
    try file.borrowed.preallocate(from: 0, count: Self.reserve)
    return Handle(file)
  }

  private func serve(from source: BorrowedDescriptor, to target: BorrowedDescriptor, file: Handle?) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
    defer { buffer.deallocate() }
    var end: Int64 = 0
    while true {
      let count = try source.receive(into: buffer)
      if count == 0 { return }
      let message = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if let file {
        // The least that a log writes: the event without its envelope.
        let record = UnsafeRawBufferPointer(rebasing: message[..<min(count, 64)])
        _ = try file.borrowed.write(record, at: end % Self.reserve)
        end += Int64(record.count)
        try file.borrowed.syncContent()
      }
      _ = try target.send(message)
    }
  }
}
