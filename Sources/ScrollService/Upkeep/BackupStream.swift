import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Backup`: names the log's files, and keeps them in place until the call ends.
final class BackupStream: ReplyStream {
  private let channel: ReplyChannel
  private let upkeep: UpkeepSchedule
  private let written: () -> WriterStatus
  private var keepsFiles = false

  /// - Parameter written: How far the writer has come at any moment.
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
    // The next daemon keeps no files until it is asked to.
    keepsFiles ? .impossible : .restarts
  }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {
    if keepsFiles { upkeep.endBackup(on: channel.connectionID) }
    keepsFiles = false
  }
}
