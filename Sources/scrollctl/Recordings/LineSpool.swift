import Platform
import ScrollLog

/// The lines of sessions that are not written yet. Those of long sessions are compressed, and what exceeds the memory limit even
/// so goes to a file without a name, which is gone with the process.
final class LineSpool<Session: Hashable> {
  /// How many bytes of a session's lines are compressed together.
  private static var pieceSize: Int { 256 << 10 }

  /// A compressed piece of a session's lines.
  private struct Piece {
    enum Place {
      case memory([UInt8])
      case file(offset: Int64)
    }

    var place: Place
    /// The number of bytes, compressed and not.
    let packedCount: Int
    let count: Int
  }

  /// A session's lines.
  private final class Lines {
    var pieces: [Piece] = []
    /// The lines after the pieces.
    var open: [UInt8] = []
  }

  private let memoryLimit: Int
  private var sessions: [Session: Lines] = [:]
  /// The session that got a line last: the next one is often its, too.
  private var last: (session: Session, lines: Lines)?
  private var bytesInMemory = 0
  private var file: (any File)?
  private var end: Int64 = 0
  private lazy var compressor = TextCompressor()

  init(memoryLimit: Int = 64 << 20) { self.memoryLimit = memoryLimit }

  /// The number of bytes that went to the file.
  var spilledBytes: Int64 { end }

  /// Adds a line, with its newline, to a session.
  func append(_ line: [UInt8], to session: Session) throws { try append(to: session) { $0 += line } }

  /// Adds a line, with its newline, that a closure appends to those of a session.
  @inline(__always)
  func append(to session: Session, _ line: (inout [UInt8]) -> Void) throws {
    let lines = lines(of: session)
    let count = lines.open.count
    line(&lines.open)
    bytesInMemory += lines.open.count - count
    if lines.open.count >= Self.pieceSize { pack(lines) }
    if bytesInMemory > memoryLimit { try spill() }
  }

  @inline(__always)
  private func lines(of session: Session) -> Lines {
    if let last, last.session == session { return last.lines }
    let lines = sessions[session] ?? Lines()
    sessions[session] = lines
    last = (session, lines)
    return lines
  }

  /// Drops a session's lines.
  func discard(_ session: Session) {
    guard let lines = sessions.removeValue(forKey: session) else { return }
    if last?.session == session { last = nil }
    bytesInMemory -= lines.open.count
    for piece in lines.pieces { if case .memory = piece.place { bytesInMemory -= piece.packedCount } }
  }

  /// Returns a session's lines in pieces, and drops them.
  func take(_ session: Session, _ body: ([UInt8]) throws -> Void) throws {
    guard let lines = sessions[session] else { return }
    defer { discard(session) }
    for piece in lines.pieces { try body(try text(of: piece)) }
    if !lines.open.isEmpty { try body(lines.open) }
  }

  private func text(of piece: Piece) throws -> [UInt8] {
    let packed: [UInt8]
    switch piece.place {
    case .memory(let bytes): packed = bytes
    case .file(let offset): packed = try read(piece.packedCount, at: offset)
    }
    guard let text = packed.withUnsafeBytes({ compressor.unpacked($0, count: piece.count) }) else {
      throw Failure("cannot read back \(file?.path ?? "lines"): they are not what was written")
    }
    return text
  }

  private func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try bytes.withUnsafeMutableBytes { try file?.read(at: offset, into: $0) }
    guard read == count else {
      throw Failure("cannot read back \(file?.path ?? "lines"): it is shorter than what was written")
    }
    return bytes
  }

  /// Compresses the lines of a session that are not compressed yet.
  private func pack(_ lines: Lines) {
    guard !lines.open.isEmpty else { return }
    let packed = lines.open.withUnsafeBytes { compressor.packed($0) }
    lines.pieces.append(Piece(place: .memory(packed), packedCount: packed.count, count: lines.open.count))
    bytesInMemory += packed.count - lines.open.count
    lines.open.removeAll(keepingCapacity: true)
  }

  /// Moves all lines to the file.
  private func spill() throws {
    let file = try file ?? makeFile()
    self.file = file
    for lines in sessions.values {
      pack(lines)
      lines.open = []
      for index in lines.pieces.indices {
        guard case .memory(let bytes) = lines.pieces[index].place else { continue }
        try bytes.withUnsafeBytes { try file.write($0, at: end) }
        lines.pieces[index].place = .file(offset: end)
        end += Int64(bytes.count)
        bytesInMemory -= bytes.count
      }
    }
  }

  private func makeFile() throws -> any File {
    let directory = try TemporaryDirectory(prefix: "scrollctl-export-")
    defer { directory.remove() }
    return try POSIXFileSystem().create(directory.path + "/lines")
  }
}
