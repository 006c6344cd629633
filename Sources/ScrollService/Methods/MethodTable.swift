import JSON
import Varlink

/// One method of the interfaces: its name, who may call it, and what handles it.
struct Method {
  enum Permission {
    /// Everyone. The methods decide which clients each caller sees.
    case everyone
    /// Users who may feed events.
    case feeders
    case managers
    /// Managers, and users who may copy the log.
    case relays
  }

  /// How a handler answers a call.
  enum Outcome {
    /// It has answered the call, or a part sends the answer later.
    case answered
    /// A stream answers the call over several turns, and later calls wait.
    case stream(any ReplyStream)
  }

  typealias Handler = (Call, Connection) throws(VarlinkError) -> Outcome

  /// The full name, including the interface.
  let name: StaticString
  let permission: Permission
  let handler: Handler

  init(_ name: StaticString, _ permission: Permission, _ handler: @escaping Handler) {
    self.name = name
    self.permission = permission
    self.handler = handler
  }
}

/// The methods of all interfaces.
///
/// A class, since each call would make a copy of a table that can change.
final class MethodTable {
  private var methods: [Method] = []
  /// The service that handles `org.varlink.service`, and refuses unknown methods.
  private let varlink: VarlinkService

  init(_ varlink: VarlinkService) { self.varlink = varlink }

  /// Adds methods of the daemon's own interfaces, the most frequent first.
  func add(_ methods: [Method]) { self.methods += methods }

  /// The names of the methods of the daemon's own interfaces.
  var names: [String] { methods.map { "\($0.name)" } }

  /// Passes a call to its method, if the caller has permission.
  ///
  /// - Throws: `PermissionDenied`, an error of the method, or one of `org.varlink.service`.
  func handle(_ call: Call, _ connection: Connection, _ settings: Settings) throws(VarlinkError) -> Method.Outcome {
    guard let method = methods.first(where: { call.method == $0.name }) else {
      if let method = try connection.route(call, with: varlink) { throw .methodNotImplemented(method.name) }
      return .answered
    }
    let isAllowed =
      switch method.permission {
      case .everyone: true
      case .feeders: settings.access.mayFeed(connection.peer)
      case .managers: settings.access.mayManage(connection.peer)
      case .relays: settings.access.mayRelay(connection.peer)
      }
    if !isAllowed { throw .permissionDenied }
    return try method.handler(call, connection)
  }
}
