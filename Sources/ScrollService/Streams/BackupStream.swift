// What keeps the log's files while somebody copies them.

import ScrollLog
import ScrollModel
import Varlink

/// Answers `Backup`: says which files there are, and sees to it that they stay for as long as the call lives.
final class BackupStream: ReplyStream {
  let token: CallToken
  private let connection: Connection.ID
  private var hasPins = false

  init(token: CallToken, connection: Connection.ID) {
    self.token = token
    self.connection = connection
  }

  var wantsRoom: Bool { !hasPins }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    if hasPins { return .waiting }
    guard service.forgettings.isEmpty else {
      connection.varlink.reply(token, error: ServiceError.backupDisturbed)
      return .ended
    }
    hasPins = true
    service.segments.pin()
    service.backups.append(self)
    let files = service.segments.files(activeBytes: service.written.segmentBytes)
    connection.varlink.reply(token, continues: true) { writer in
      writer.member("directory", service.segments.path)
      writer.key("files")
      writer.beginArray()
      for file in files {
        writer.beginObject()
        writer.member("name", file.name)
        writer.member("firstPosition", file.firstPosition)
        writer.member("bytes", file.bytes)
        writer.endObject()
      }
      writer.endArray()
      writer.member("firstPosition", service.segments.firstPosition)
      writer.member("lastPosition", service.written.synced)
      writer.member("generation", service.generations.current)
    }
    return .waiting
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    connection.varlink.reply(token, continues: true)
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver {
    // The next daemon holds nothing back until it is asked to.
    hasPins ? .impossible : .beginsAnew
  }

  /// Records are about to be forgotten: what is copied by now may hold them, and what is copied later doesn't.
  func disturb(_ service: Service) {
    guard let connection = service.connections[connection] else { return }
    connection.varlink.reply(token, error: ServiceError.backupDisturbed)
    service.endStream(of: connection)
  }

  func end(_ service: Service) {
    guard hasPins else { return }
    hasPins = false
    service.segments.unpin()
    service.backups.removeAll { $0 === self }
    // What was to go meanwhile goes now.
    if service.segments.isHeldBack { service.retentionDue = .min }
  }
}
