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

/// The methods of the three interfaces.
struct MethodTable {
  private let methods: [Method]

  /// - Parameter methods: The most frequent first.
  init(_ methods: [Method]) { self.methods = methods }

  /// The names of all methods.
  var names: [String] { methods.map { "\($0.name)" } }

  /// The method of a call; `nil` for other interfaces and unknown methods.
  ///
  /// - Throws: `PermissionDenied`.
  func method(of call: Call, for peer: Peer, _ access: AccessRules) throws(VarlinkError) -> Method? {
    guard let method = methods.first(where: { call.method == $0.name }) else { return nil }
    let isAllowed =
      switch method.permission {
      case .everyone: true
      case .feeders: access.mayFeed(peer)
      case .managers: access.mayManage(peer)
      }
    if !isAllowed { throw .permissionDenied }
    return method
  }
}
