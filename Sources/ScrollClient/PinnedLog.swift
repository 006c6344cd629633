// The log's files, which stay while they are copied.

import ScrollModel
import Varlink

/// The log's files, which the daemon keeps as they are for as long as this lives.
///
///     let log = try daemon.pinLog()
///     for file in log.files { …; try log.check() }
public final class PinnedLog {
  /// A file of the log.
  public struct File: Equatable, Sendable {
    /// Its name, relative to the state directory.
    public var name: String
    /// The first position in it.
    public var firstPosition: Position
    /// How many bytes of it were in use when it was pinned.
    public var bytes: Int64
  }

  private struct Contents {
    var directory: String
    var files: [File]
    var lastPosition: Position
    var generation: Int64

    init?(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
      // One without members is a heartbeat.
      guard members.value("directory") != nil else { return nil }
      directory = try members.require("directory", members.string("directory"))
      lastPosition = try members.require("lastPosition", members.int("lastPosition"))
      generation = try members.require("generation", members.int("generation"))
      files = []
      for file in try members.require("files", members.arrayOfMembers("files")) {
        files.append(
          File(
            name: try file.require("name", file.string("name")),
            firstPosition: try file.require("firstPosition", file.int("firstPosition")),
            bytes: try file.require("bytes", file.int("bytes"))))
      }
    }
  }

  /// The state directory, as the daemon names it.
  public let directory: String
  /// The files of the log, the oldest first.
  public let files: [File]
  /// The last position that is on disk.
  public let lastPosition: Position
  /// The history of the log that the positions belong to.
  public let generation: Int64

  private let replies: ReplyStream<Contents?>

  fileprivate init(_ connection: ServiceConnection) throws(ServiceError) {
    replies = try ReplyStream(
      connection, "org.scrolld.Manager.Backup", { _ in },
      { (members) throws(ReplyMembers.Unexpected) in try Contents(members) })
    while case .reply(let reply) = try replies.next() {
      guard let contents = reply else { continue }
      directory = contents.directory
      files = contents.files
      lastPosition = contents.lastPosition
      generation = contents.generation
      return
    }
    throw .unexpectedReply(connection.address, what: "the files of the log are missing")
  }

  /// Makes sure that the files are still kept.
  ///
  /// - Throws: ``ServiceError`` when they are not: the copy is then worth nothing. The refusal is `backupDisturbed`.
  public func check() throws(ServiceError) {
    while true {
      switch try replies.next(timeout: .zero) {
      case .reply: continue
      case .nothingYet: return
      case .ended: throw .refused(.backupDisturbed)
      }
    }
  }
}

extension ServiceConnection {
  /// Has the daemon keep all files of its log, to be copied by whoever may read them. The connection is the files' from now
  /// on: when it ends, they may go.
  ///
  /// - Throws: ``ServiceError``; refusals are `permissionDenied` and `backupDisturbed`.
  public func pinLog() throws(ServiceError) -> PinnedLog { try PinnedLog(self) }
}
