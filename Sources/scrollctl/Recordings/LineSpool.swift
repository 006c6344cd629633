import Platform
import ScrollLog

/// The lines of sessions that are not written yet. What exceeds the memory limit goes to a file without a name, which is gone
/// with the process.
final class LineSpool<Session: Hashable> {
  private let memoryLimit: Int
  private var memory: [Session: [UInt8]] = [:]
  private var bytesInMemory = 0
  /// The parts of each session's lines in the file.
  private var parts: [Session: [(offset: Int64, count: Int)]] = [:]
  private var file: (any File)?
  private var end: Int64 = 0

  init(memoryLimit: Int = 64 << 20) { self.memoryLimit = memoryLimit }

  /// The number of bytes that went to the file.
  var spilledBytes: Int64 { end }

  /// Adds a line, with its newline, to a session.
  func append(_ line: [UInt8], to session: Session) throws { try append(to: session) { $0 += line } }

  /// Adds a line, with its newline, that a closure appends to those of a session.
  func append(to session: Session, _ line: (inout [UInt8]) -> Void) throws {
    let added = { (lines: inout [UInt8]) -> Int in
      let count = lines.count
      line(&lines)
      return lines.count - count
    }(&memory[session, default: []])
    bytesInMemory += added
    if bytesInMemory > memoryLimit { try spill() }
  }

  /// Drops a session's lines.
  func discard(_ session: Session) {
    bytesInMemory -= memory.removeValue(forKey: session)?.count ?? 0
    parts[session] = nil
  }

  /// Returns a session's lines in pieces, and drops them.
  func take(_ session: Session, _ body: ([UInt8]) throws -> Void) throws {
    defer { discard(session) }
    for part in parts[session] ?? [] {
      var offset = part.offset
      let end = part.offset + Int64(part.count)
      while offset < end, let file {
        let count = min(1 << 20, Int(end - offset))
        var piece = [UInt8](repeating: 0, count: count)
        let read = try piece.withUnsafeMutableBytes { try file.read(at: offset, into: $0) }
        guard read == count else { throw Failure("cannot read back \(file.path): it is shorter than what was written") }
        try body(piece)
        offset += Int64(count)
      }
    }
    if let rest = memory[session], !rest.isEmpty { try body(rest) }
  }

  private func spill() throws {
    let file = try file ?? makeFile()
    self.file = file
    for (session, bytes) in memory where !bytes.isEmpty {
      try bytes.withUnsafeBytes { try file.write($0, at: end) }
      parts[session, default: []].append((end, bytes.count))
      end += Int64(bytes.count)
    }
    memory = [:]
    bytesInMemory = 0
  }

  private func makeFile() throws -> any File {
    let directory = try TemporaryDirectory(prefix: "scrollctl-export-")
    defer { directory.remove() }
    return try POSIXFileSystem().create(directory.path + "/lines")
  }
}
