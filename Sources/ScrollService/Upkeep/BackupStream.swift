import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Backup`: the names of the log's files, which stay in place until the call ends.
final class BackupStream: ReplyStream {
  private let channel: ReplyChannel
  private let upkeep: UpkeepSchedule
  private let written: () -> WriterStatus
  private var keepsFiles = false

  /// - Parameter written: Returns the writer's status.
  init(_ upkeep: UpkeepSchedule, _ channel: ReplyChannel, written: @escaping () -> WriterStatus) {
    self.upkeep = upkeep
    self.channel = channel
    self.written = written
  }

  var wantsRoom: Bool { !keepsFiles }

  func advance() -> StreamProgress {
    if keepsFiles { return .waiting }
    guard let backup = upkeep.beginBackup(on: channel.connectionID, written()) else {
      channel.fail(ServiceError.backupDisturbed)
      return .ended
    }
    keepsFiles = true
    channel.send { writer in
      writer.member("directory", backup.directory)
      writer.key("files")
      writer.beginArray()
      for file in backup.files {
        writer.beginObject()
        writer.member("name", file.name)
        writer.member("firstPosition", file.firstPosition)
        writer.member("bytes", file.bytes)
        writer.endObject()
      }
      writer.endArray()
      writer.member("firstPosition", backup.firstPosition)
      writer.member("lastPosition", backup.lastPosition)
      writer.member("generation", backup.generation)
    }
    return .waiting
  }

  func sendHeartbeat() { channel.send() }

  func handOver() -> StreamHandOver {
    // The next daemon does not keep the files, so the copy might miss some.
    keepsFiles ? .impossible : .restarts
  }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {
    if keepsFiles { upkeep.endBackup(on: channel.connectionID) }
    keepsFiles = false
  }
}
