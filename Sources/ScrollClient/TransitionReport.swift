// A change of a client's state as the daemon reports it.

import JSON
import ScrollModel

/// A change of a client's state as the daemon reports it.
public struct TransitionReport: Equatable, Sendable {
  /// The state after the change.
  public var state: StateReport
  /// The names of the fields that changed, in the state's order.
  public var changed: [String]
  /// The clause that decided, with its numbers, where a trigger fired.
  public var reason: String?

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    state = try StateReport(members)
    changed = try members.require("changed", members.strings("changed"))
    reason = try members.allow("reason", members.string)
  }

  /// Reads a transition from its JSON form.
  ///
  /// - Throws: ``MalformedReport`` that names the member that is missing or of the wrong type.
  public init(json: JSONValue) throws(MalformedReport) {
    do { self = try TransitionReport(ReplyMembers(json.asObject)) } catch { throw MalformedReport(member: error.name) }
  }
}
