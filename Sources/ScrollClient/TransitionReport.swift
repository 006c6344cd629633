import ScrollModel
internal import Varlink

/// A change of a client's state as the daemon reports it.
public struct TransitionReport: Equatable, Sendable {
  /// The state after the change.
  public var state: StateReport
  /// The names of the changed fields, in the state's order.
  public var changed: [String]
  /// The clause that fired a trigger, with its numbers; `nil` when none fired.
  public var reason: String?

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    state = try StateReport(members)
    changed = try members.require("changed", members.strings("changed"))
    reason = try members.allow("reason", members.string)
  }
}
