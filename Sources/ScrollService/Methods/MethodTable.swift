import JSON
import Varlink

/// One method of the interfaces: its name, who may call it, and what handles it.
struct Method {
  enum Permission {
    /// Everyone; which clients a caller sees is decided by client.
    case everyone
    /// Users who may feed events.
    case feeders
    case managers
  }

  /// What a handler did with a call.
  enum Outcome {
    /// It has answered the call, or has arranged for the answer.
    case answered
    /// The call is answered over several turns; calls behind it wait.
    case stream(any ReplyStream)
  }

  typealias Handler = (Call, Connection) throws(VarlinkError) -> Outcome

  /// The whole name, interface included.
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
struct MethodTable {
  private var methods: [Method] = []
  /// The methods of `org.varlink.service`, and the errors of unknown ones.
  private let varlink: VarlinkService

  init(_ varlink: VarlinkService) { self.varlink = varlink }

  /// Adds methods of the daemon's own interfaces, the most frequent first.
  mutating func add(_ methods: [Method]) { self.methods += methods }

  /// The names of the methods of the daemon's own interfaces.
  var names: [String] { methods.map { "\($0.name)" } }

  /// Handles a call by its method.
  ///
  /// - Throws: `PermissionDenied`, an error of the method, or one of `org.varlink.service`.
  func handle(_ call: Call, _ connection: Connection, _ access: AccessRules) throws(VarlinkError) -> Method.Outcome {
    guard let method = methods.first(where: { call.method == $0.name }) else {
      if let method = try connection.route(call, with: varlink) { throw .methodNotImplemented(method.name) }
      return .answered
    }
    let isAllowed =
      switch method.permission {
      case .everyone: true
      case .feeders: access.mayFeed(connection.peer)
      case .managers: access.mayManage(connection.peer)
      }
    if !isAllowed { throw .permissionDenied }
    return try method.handler(call, connection)
  }
}
