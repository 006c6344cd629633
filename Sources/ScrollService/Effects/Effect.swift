import Varlink

/// A decision of a part that affects connections. The service carries all effects out in one place.
enum Effect {
  /// Sends the answer to a call.
  case answer(Answer)
  /// Answers a call with an error.
  case refuse(Caller, VarlinkError)
  /// Gives the stream of a connection a turn, since it has news.
  case wake(ConnectionID)
  /// Ends the stream of a connection with an error.
  case endStream(ConnectionID, VarlinkError)
  /// Updates the hand-over state of a connection, although nothing was sent on it.
  case handOverChanged(ConnectionID)
}

/// The effects that are not carried out yet.
final class EffectQueue {
  private var effects: [Effect] = []

  var isEmpty: Bool { effects.isEmpty }

  func add(_ effect: Effect) { effects.append(effect) }

  /// Removes and returns the effects, in order.
  func take() -> [Effect] {
    defer { effects.removeAll() }
    return effects
  }
}
