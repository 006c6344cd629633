// What the daemon counts.

import ScrollLog

/// What the daemon counts from its start on.
struct Metrics {
  var connectionsAccepted: Int64 = 0
  var connectionsRefused: Int64 = 0
  var connectionsDropped: Int64 = 0
  /// Connections of the last daemon that go on, and those that could not.
  var connectionsTakenOver: Int64 = 0
  var connectionsLost: Int64 = 0
  var protocolViolations: Int64 = 0
  var bytesReceived: Int64 = 0
  var bytesSent: Int64 = 0
  var calls: Int64 = 0
  var callsRefused: Int64 = 0
  var onewayCallsRefused: Int64 = 0
  var permissionsDenied: Int64 = 0
  var usersHeldBack: Int64 = 0
  var sessionsOpened: Int64 = 0
  var sessionsClosed: Int64 = 0
  var eventsAppended: Int64 = 0
  var eventsPassedOver: Int64 = 0
  var blocksWritten: Int64 = 0
  var bytesWritten: Int64 = 0
  var segmentsBegun: Int64 = 0
  var segmentsPacked: Int64 = 0
  var segmentsRemoved: Int64 = 0
  var bytesRemoved: Int64 = 0
  var appendsWithoutSpace: Int64 = 0
  var transitionsPushed: Int64 = 0
  var framesPushed: Int64 = 0
  var subscribersFallenBehind: Int64 = 0
  var snapshotsWritten: Int64 = 0
  var snapshotBytesWritten: Int64 = 0
  var snapshotsFailed: Int64 = 0
  /// What it took to open the log.
  var start: StartReport?

  /// Every counter with its name, units in the name.
  var named: [(name: String, value: Int64)] {
    [
      ("connections_accepted", connectionsAccepted), ("connections_refused", connectionsRefused),
      ("connections_dropped", connectionsDropped), ("users_held_back", usersHeldBack),
      ("connections_taken_over", connectionsTakenOver), ("connections_lost", connectionsLost),
      ("protocol_violations", protocolViolations), ("bytes_received", bytesReceived), ("bytes_sent", bytesSent),
      ("calls", calls), ("calls_refused", callsRefused), ("oneway_calls_refused", onewayCallsRefused),
      ("permissions_denied", permissionsDenied), ("sessions_opened", sessionsOpened),
      ("sessions_closed", sessionsClosed), ("events_appended", eventsAppended),
      ("events_passed_over", eventsPassedOver), ("blocks_written", blocksWritten), ("bytes_written", bytesWritten),
      ("segments_begun", segmentsBegun), ("segments_packed", segmentsPacked), ("segments_removed", segmentsRemoved),
      ("bytes_removed", bytesRemoved),
      ("appends_without_space", appendsWithoutSpace),
      ("transitions_pushed", transitionsPushed), ("frames_pushed", framesPushed),
      ("subscribers_fallen_behind", subscribersFallenBehind),
      ("snapshots_written", snapshotsWritten), ("snapshot_bytes_written", snapshotBytesWritten),
      ("snapshots_failed", snapshotsFailed),
    ] + (start.map(Self.named) ?? [])
  }

  private static func named(_ start: StartReport) -> [(name: String, value: Int64)] {
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
