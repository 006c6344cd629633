// States and transitions as JSON.

import JSON
import ScrollModel

extension FoldState {
  /// Writes the state as a JSON object; what is unknown is left out.
  public func write(to writer: inout JSONWriter, as identity: StateIdentity) {
    writer.beginObject()
    writeMembers(to: &writer, as: identity)
    writer.endObject()
  }

  /// Writes the state and what its last event changed as one flat JSON object.
  ///
  /// - Parameter line: The event's line in its file, 1 for the first, where it comes from one.
  public func writeTransition(
    to writer: inout JSONWriter, as identity: StateIdentity, _ step: Policy.Step, line: Int? = nil
  ) {
    writer.beginObject()
    writer.member("line", ifPresent: line)
    writeMembers(to: &writer, as: identity)
    writer.key("changed")
    writer.beginArray()
    for watched in WatchedFields.named where step.changed.contains(watched.field) {
      writer.string(utf8: watched.name.bytes)
    }
    writer.endArray()
    writer.member("reason", ifPresent: step.reason?.description)
    writer.endObject()
  }

  private func writeMembers(to writer: inout JSONWriter, as identity: StateIdentity) {
    writer.member("client", ifPresent: identity.client)
    writer.member("user", ifPresent: identity.user)
    if let session = identity.session { writer.member("session", session) }
    writer.member("position", ifPresent: identity.position)
    writer.member("time", ifPresent: time)
    writer.key("toolbar")
    writer.string(utf8: toolbar.name.bytes)
    if let trigger {
      writer.key("trigger")
      writer.string(utf8: trigger.name.bytes)
    }
    writer.member("reachBottom", reachBottom)
    writer.member("bottomLatch", bottomLatch)
    writer.member("topButton", topButton)
    writer.member("x", ifPresent: geometry.x)
    writer.member("y", ifPresent: geometry.y)
    writer.member("zoomScale", ifPresent: zoomScale)
    writer.member("pageIndex", ifPresent: pager.index)
    writer.member("pageCount", ifPresent: pager.count)
    writer.member("indicatorOffset", ifPresent: pager.indicatorOffset)
    writer.member("indicatorWidth", ifPresent: pager.indicatorWidth)
    writer.member("policy", identity.policy)
  }
}

extension SessionID: JSONWritable {
  /// Writes the 32 digits.
  public func write(to writer: inout JSONWriter) {
    writer.string(description)
  }
}
