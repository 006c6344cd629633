import ScrollModel
internal import Varlink

/// What the daemon has done since it started, and its current state.
public struct DaemonStatistics: Equatable, Sendable {
  /// A counter or gauge, whose name includes its unit.
  public struct Metric: Equatable, Sendable {
    /// How a metric's value changes.
    public enum Kind: String, Sendable {
      /// The value only grows, from 0 when the daemon starts.
      case counter
      /// The value goes up and down.
      case gauge
    }

    /// The name.
    public var name: String
    /// The current value.
    public var value: Int64
    /// How the value changes; `nil` when the daemon sends no kind, or one that this library does not know.
    public var kind: Kind?
  }

  /// The daemon's version.
  public var version: String
  /// The log's generation.
  public var generation: Int64
  /// The first position that the log still has.
  public var firstPosition: Position
  /// The log's last position.
  public var lastPosition: Position
  /// The last position on disk.
  public var syncedPosition: Position
  /// The number of open sessions.
  public var sessions: Int64
  /// The number of connections.
  public var connections: Int64
  /// The number of subscriptions.
  public var subscribers: Int64
  /// When the daemon started; `nil` when it is older than this library and does not say.
  public var started: UnixMicroseconds?
  /// Further counters and gauges.
  public var metrics: [Metric]

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    version = try members.require("version", members.string("version"))
    generation = try members.require("generation", members.int("generation"))
    firstPosition = try members.require("firstPosition", members.count("firstPosition"))
    lastPosition = try members.require("lastPosition", members.count("lastPosition"))
    syncedPosition = try members.require("syncedPosition", members.count("syncedPosition"))
    sessions = try members.require("sessions", members.count("sessions"))
    connections = try members.require("connections", members.count("connections"))
    subscribers = try members.require("subscribers", members.count("subscribers"))
    started = members.int("started").map { UnixMicroseconds($0) }
    metrics = []
    for metric in try members.require("metrics", members.arrayOfMembers("metrics")) {
      metrics.append(
        Metric(
          name: try metric.require("name", metric.string("name")),
          value: try metric.require("value", metric.int("value")),
          kind: metric.string("kind").flatMap { Metric.Kind(rawValue: $0) }))
    }
  }

  /// The statistics as JSON, in the daemon's form.
  public var json: String {
    encodeJSON { writer in
      writer.member("version", version)
      writer.member("generation", generation)
      writer.member("firstPosition", firstPosition)
      writer.member("lastPosition", lastPosition)
      writer.member("syncedPosition", syncedPosition)
      writer.member("sessions", sessions)
      writer.member("connections", connections)
      writer.member("subscribers", subscribers)
      writer.member("started", ifPresent: started?.rawValue)
      writer.key("metrics")
      writer.beginArray()
      for metric in metrics {
        writer.beginObject()
        writer.member("name", metric.name)
        writer.member("value", metric.value)
        writer.member("kind", ifPresent: metric.kind?.rawValue)
        writer.endObject()
      }
      writer.endArray()
    }
  }
}
