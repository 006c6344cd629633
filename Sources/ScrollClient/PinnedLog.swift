import ScrollModel
internal import Varlink

/// The log's files, which the daemon leaves unchanged while this object lives.
///
///     let log = try daemon.pinLog()
///     for file in log.files { …; try log.check() }
public final class PinnedLog {
  /// A file of the log.
  public struct File: Equatable, Sendable {
    /// The file's name, relative to the state directory.
    public var name: String
    /// The first position in the file.
    public var firstPosition: Position
    /// How many bytes of the file were in use when it was pinned.
    public var bytes: Int64
  }

  private struct Contents {
    var directory: String
    var files: [File]
    var lastPosition: Position
    var generation: Int64

    /// - Returns: `nil` for a heartbeat, which has no members.
    init?(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
      guard members.value("directory") != nil else { return nil }
      directory = try members.require("directory", members.string("directory"))
      lastPosition = try members.require("lastPosition", members.count("lastPosition"))
      generation = try members.require("generation", members.int("generation"))
      files = []
      for file in try members.require("files", members.arrayOfMembers("files")) {
        files.append(
          File(
            name: try file.require("name", file.string("name")),
            firstPosition: try file.require("firstPosition", file.count("firstPosition")),
            bytes: try file.require("bytes", file.count("bytes"))))
      }
      // The files of a log follow each other, up to its last position.
      let firsts = files.map(\.firstPosition)
      guard let first = firsts.first, first >= 1, let last = firsts.last, last - 1 <= lastPosition,
        zip(firsts, firsts.dropFirst()).allSatisfy({ $0 < $1 })
      else { throw ReplyMembers.Unexpected(name: "files") }
    }
  }

  /// The state directory, as the daemon sees it.
  public let directory: String
  /// The files of the log, the oldest first.
  public let files: [File]
  /// The last position on disk.
  public let lastPosition: Position
  /// The log's generation, to which the positions belong.
  public let generation: Int64

  private let replies: ReplyStream<Contents>

  fileprivate init(_ connection: ServiceConnection) throws(ServiceError) {
    replies = try ReplyStream(
      connection, "org.scrolld.Manager.Backup", { _ in },
      { (members) throws(ReplyMembers.Unexpected) in try Contents(members) })
    guard case .element(let contents) = try replies.next() else {
      throw .unexpectedReply(connection.address, what: "the files of the log are missing")
    }
    directory = contents.directory
    files = contents.files
    lastPosition = contents.lastPosition
    generation = contents.generation
  }

  /// Checks that the daemon still keeps the files.
  ///
  /// - Throws: ``ServiceError`` when it does not, so that the copy must be discarded. The refusal is `backupDisturbed`.
  public func check() throws(ServiceError) {
    while true {
      switch try replies.next(timeout: .zero) {
      case .element: continue
      case .timedOut: return
      case .ended: throw .refused(.backupDisturbed)
      }
    }
  }
}

extension ServiceConnection {
  /// Has the daemon keep all files of its log for you to copy. You need permission to read them. The connection belongs to
  /// the pinned log from now on; when it ends, the daemon may remove the files.
  ///
  /// - Throws: ``ServiceError``; refusals are `permissionDenied` and `backupDisturbed`.
  public func pinLog() throws(ServiceError) -> PinnedLog { try PinnedLog(self) }
}
