// A call that was taken and has not been answered to the end.

/// A call whose replies are still to come, or have to wait for those of a call before it.
struct PendingCall {
  let token: CallToken
  /// Whether the last reply was given.
  var hasEnded = false
  /// Replies that wait until the calls before this one have ended.
  var held: [UInt8] = []
}
