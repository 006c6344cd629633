// What the daemon has done, and how it stands.

import JSON
import ScrollModel

/// What the daemon has done since it started, and how it stands.
public struct DaemonStatistics: Equatable, Sendable {
  /// A counter or gauge; its name says its unit.
  public struct Metric: Equatable, Sendable {
    /// How a metric's value changes.
    public enum Kind: String, Sendable {
      /// It only grows, from 0 at the daemon's start on.
      case counter
      /// It goes up and down.
      case gauge
    }

    /// The name.
    public var name: String
    /// What it stands at.
    public var value: Int64
    /// How the value changes; `nil` when the daemon tells none that is known.
    public var kind: Kind?
  }

  /// The daemon's version.
  public var version: String
  /// The log's generation.
  public var generation: Int64
  /// The first position that the log still has.
  public var firstPosition: Position
  /// The last position.
  public var lastPosition: Position
  /// The last position that is on disk.
  public var syncedPosition: Position
  /// How many sessions are open.
  public var sessions: Int64
  /// How many connections there are.
  public var connections: Int64
  /// How many subscriptions there are.
  public var subscribers: Int64
  /// All else.
  public var metrics: [Metric]

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    version = try members.require("version", members.string("version"))
    generation = try members.require("generation", members.int("generation"))
    firstPosition = try members.require("firstPosition", members.int("firstPosition"))
    lastPosition = try members.require("lastPosition", members.int("lastPosition"))
    syncedPosition = try members.require("syncedPosition", members.int("syncedPosition"))
    sessions = try members.require("sessions", members.int("sessions"))
    connections = try members.require("connections", members.int("connections"))
    subscribers = try members.require("subscribers", members.int("subscribers"))
    metrics = []
    for metric in try members.require("metrics", members.arrayOfMembers("metrics")) {
      metrics.append(
        Metric(
          name: try metric.require("name", metric.string("name")),
          value: try metric.require("value", metric.int("value")),
          kind: metric.string("kind").flatMap { Metric.Kind(rawValue: $0) }))
    }
  }
}

extension DaemonStatistics: JSONWritable {
  /// Writes the statistics as the JSON object that the wire has.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("version", version)
    writer.member("generation", generation)
    writer.member("firstPosition", firstPosition)
    writer.member("lastPosition", lastPosition)
    writer.member("syncedPosition", syncedPosition)
    writer.member("sessions", sessions)
    writer.member("connections", connections)
    writer.member("subscribers", subscribers)
    writer.member("metrics", metrics)
    writer.endObject()
  }
}

extension DaemonStatistics.Metric: JSONWritable {
  /// Writes the metric as a JSON object.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("value", value)
    writer.member("kind", ifPresent: kind?.rawValue)
    writer.endObject()
  }
}
