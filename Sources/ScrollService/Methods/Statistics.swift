import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The reply to `Statistics`: the log's positions, counters from the start of the daemon, and gauges.
struct Statistics {
  var generation: Int64
  var firstPosition: Position
  var lastPosition: Position
  var syncedPosition: Position
  var sessionCount: Int
  var connectionCount: Int
  var subscriberCount: Int
  var connections: Connections.Counters
  var sessions: Sessions.Counters
  var subscriptions: Subscriptions.Counters
  var commit: Commit.Counters
  var snapshots: SnapshotSchedule
  var upkeep: UpkeepCounters
  var log: LogGauges
  var start: DaemonStart

  func write(to writer: inout JSONWriter) {
    writer.member("version", ServiceInterfaces.version)
    writer.member("generation", generation)
    writer.member("firstPosition", firstPosition)
    writer.member("lastPosition", lastPosition)
    writer.member("syncedPosition", syncedPosition)
    writer.member("sessions", sessionCount)
    writer.member("connections", connectionCount)
    writer.member("subscribers", subscriberCount)
    writer.member("started", start.time)
    writer.key("metrics")
    writer.beginArray()
    for metric in counters { Self.write(metric, kind: "counter", to: &writer) }
    for metric in log.named { Self.write(metric, kind: "gauge", to: &writer) }
    writer.endArray()
  }

  private static func write(_ metric: (name: String, value: Int64), kind: String, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", metric.name)
    writer.member("value", metric.value)
    writer.member("kind", kind)
    writer.endObject()
  }

  /// All counters with their names, which end with the unit, if any.
  var counters: [(name: String, value: Int64)] {
    [
      ("connections_accepted", connections.accepted), ("connections_refused", connections.refused),
      ("connections_dropped", connections.dropped), ("users_held_back", connections.throttles),
      ("connections_taken_over", connections.resumed), ("connections_lost", connections.lost),
      ("protocol_violations", connections.violations), ("bytes_received", connections.bytesReceived),
      ("bytes_sent", connections.bytesSent), ("calls", connections.calls),
      ("calls_refused", connections.callsRefused), ("oneway_calls_refused", connections.onewayCallsRefused),
      ("permissions_denied", connections.permissionsDenied), ("sessions_opened", sessions.opened),
      ("sessions_closed", sessions.closed), ("events_appended", sessions.eventsAppended),
      ("events_passed_over", sessions.eventsPassedOver), ("blocks_written", commit.blocksWritten),
      ("bytes_written", commit.bytesWritten), ("segments_begun", commit.segmentsBegun),
      ("segments_packed", upkeep.segmentsPacked), ("segments_removed", upkeep.segmentsRemoved),
      ("bytes_removed", upkeep.bytesRemoved), ("appends_without_space", commit.appendsWithoutSpace),
      ("transitions_pushed", subscriptions.transitionsPushed), ("frames_pushed", subscriptions.framesPushed),
      ("subscribers_fallen_behind", subscriptions.fallenBehind), ("snapshots_written", snapshots.written),
      ("snapshot_bytes_written", snapshots.bytesWritten), ("snapshots_failed", snapshots.failed),
    ] + Self.counters(of: start.report)
  }

  private static func counters(of start: StartReport) -> [(name: String, value: Int64)] {
    var isFromSnapshot = false
    var isFromScan = false
    switch start.basis {
    case .newLog: break
    case .snapshot: isFromSnapshot = true
    case .scan: isFromScan = true
    }
    return [
      ("start_from_snapshot", isFromSnapshot ? 1 : 0), ("start_from_scan", isFromScan ? 1 : 0),
      ("start_microseconds", start.duration), ("start_blocks_read", start.blocksRead),
      ("start_bytes_read", start.bytesRead), ("start_torn_tails_cut", start.tornTails),
      ("start_bytes_cut", start.bytesCut), ("start_records_recovered", start.recordsRecovered),
      ("start_damaged_segments", start.damagedSegments),
    ]
  }
}

/// The log's use of the disk.
struct LogGauges {
  let segments: SegmentList
  /// The size of the active segment, in bytes.
  let activeBytes: Int64
  let backupsRunning: Int

  /// All gauges with their names, which end with the unit.
  var named: [(name: String, value: Int64)] {
    let packed = segments.sealedSize(isPacked: true)
    let unpacked = segments.sealedSize(isPacked: false)
    return [
      ("packed_records", packed.records), ("packed_bytes", packed.bytes),
      ("unpacked_records", unpacked.records), ("unpacked_bytes", unpacked.bytes),
      ("log_segments", Int64(segments.firstPositions.count)),
      ("log_bytes", segments.sealedBytes + activeBytes),
      ("backups_running", Int64(backupsRunning)), ("log_kept_for_backup", segments.isRemovalDelayed ? 1 : 0),
      ("snapshots_unreadable", segments.unreadableSnapshots),
    ]
  }
}
