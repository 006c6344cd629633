// org.scrolld.Manager: for whoever runs the daemon.

import JSON
import ScrollLog
import ScrollModel
import Varlink

extension Service {
  func statistics(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try manager(call, connection)
    connection.varlink.reply(call.token) { writer in
      writer.member("version", ServiceInterfaces.version)
      writer.member("generation", generations.current)
      writer.member("firstPosition", segments.firstPosition)
      writer.member("lastPosition", projection.position)
      writer.member("syncedPosition", written.synced)
      writer.member("sessions", projection.sessions.count)
      writer.member("connections", connections.count)
      writer.member("subscribers", subscriberCount)
      writer.key("metrics")
      writer.beginArray()
      for metric in metrics.named { Self.write(metric, kind: "counter", to: &writer) }
      for metric in gauges { Self.write(metric, kind: "gauge", to: &writer) }
      writer.endArray()
    }
    return .mayFollow
  }

  private static func write(_ metric: (name: String, value: Int64), kind: String, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", metric.name)
    writer.member("value", metric.value)
    writer.member("kind", kind)
    writer.endObject()
  }

  /// What the log takes, with units in the names.
  private var gauges: [(name: String, value: Int64)] {
    let packed = segments.sealedSize(isPacked: true)
    let unpacked = segments.sealedSize(isPacked: false)
    return [
      ("packed_records", packed.records), ("packed_bytes", packed.bytes),
      ("unpacked_records", unpacked.records), ("unpacked_bytes", unpacked.bytes),
      ("log_segments", Int64(segments.firstPositions.count)),
      ("log_bytes", segments.sealedBytes + written.reservedBytes),
      ("backups_running", Int64(backups.count)), ("log_kept_for_backup", segments.isHeldBack ? 1 : 0),
      ("snapshots_unreadable", segments.unreadableSnapshots),
    ]
  }

  func sync(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try manager(call, connection)
    syncAnswers.append(Answer(connection: connection.id, token: call.token, kind: .sync))
    return .mayFollow
  }

  func rotate(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try manager(call, connection)
    wantsRoll = true
    rollAnswers.append((connection.id, call.token))
    return .mayFollow
  }

  func vacuum(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    guard access.mayManage(connection.peer) else { throw .permissionDenied }
    var parameters = call.parameters()
    let maximumUse = try parameters.optionalInt("maxUse") ?? .max
    let maximumAge = try parameters.optionalInt("maxAge") ?? .max
    try parameters.finish()
    if maximumUse < 0 { throw .invalidParameter("maxUse") }
    if maximumAge < 0 { throw .invalidParameter("maxAge") }
    var limits = RetentionLimits.none
    limits.maximumUse = maximumUse
    limits.maximumAge = maximumAge
    trim(to: limits, available: nil, isAsked: true)
    removalError = nil
    let freed = trimmed.reduce(0) { $0 + $1.bytes }
    vacuumAnswers.append(VacuumAnswer(connection: connection.id, token: call.token, freed: freed))
    answerVacuums()
    return .mayFollow
  }

  func backup(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try call.requireMore()
    try manager(call, connection)
    return begin(BackupStream(token: call.token, connection: connection.id), on: connection)
  }

  func reload(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try manager(call, connection)
    do throws(ConfigurationError) {
      try reload()
    } catch {
      throw ServiceError.badConfiguration(error)
    }
    connection.varlink.reply(call.token)
    return .mayFollow
  }

  /// Reads the configuration again. Sessions that are open keep the policy that they began with.
  ///
  /// - Throws: `ConfigurationError` when it is bad; then the old one stays.
  public func reload() throws(ConfigurationError) {
    let next: Configuration
    do throws(ConfigurationError) {
      next = try readConfiguration()
    } catch {
      journal.log(.configurationKept(error))
      keepsOldConfiguration = true
      throw error
    }
    var warnings: [ConfigurationError] = []
    access = AccessRules(next, warnings: &warnings)
    for warning in warnings { journal.log(.nameUnknown(warning)) }
    if next.sync != configuration.sync || next.syncInterval != configuration.syncInterval {
      journal.log(.needsRestart)
    }
    var applied = next
    applied.sync = configuration.sync
    applied.syncInterval = configuration.syncInterval
    configuration = applied
    keepsOldConfiguration = false
    applyRetention()
    journal.log(.configurationReloaded)
  }

  private func manager(_ call: Call, _ connection: Connection) throws(VarlinkError) {
    guard access.mayManage(connection.peer) else { throw .permissionDenied }
    try call.parameters().finish()
  }
}
