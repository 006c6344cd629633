// Reports of the daemon in their JSON form, as the wire has them.

import JSON
import ScrollModel

extension StateReport: JSONWritable {
  /// Writes the state as a JSON object; what is unknown is left out.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("position", position)
    writer.member("time", ifPresent: time)
    writer.member("toolbar", "\(toolbar.name)")
    writer.member("trigger", ifPresent: trigger.map { "\($0.name)" })
    writer.member("reachBottom", reachBottom)
    writer.member("bottomLatch", bottomLatch)
    writer.member("topButton", topButton)
    writer.member("x", ifPresent: x)
    writer.member("y", ifPresent: y)
    writer.member("zoomScale", ifPresent: zoomScale)
    writer.member("pageIndex", ifPresent: pageIndex)
    writer.member("pageCount", ifPresent: pageCount)
    writer.member("indicatorOffset", ifPresent: indicatorOffset)
    writer.member("indicatorWidth", ifPresent: indicatorWidth)
    writer.member("policy", policy)
  }
}

extension TransitionReport: JSONWritable {
  /// Writes the transition as one flat JSON object: the state's members, then `changed`, then `reason`.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    state.writeMembers(to: &writer)
    writer.member("changed", changed)
    writer.member("reason", ifPresent: reason)
    writer.endObject()
  }
}
