import ScrollLogTesting

extension PowerLoss {
  /// The fault as text for people; `nil` is a kill.
  static func text(_ loss: PowerLoss?) -> String { loss?.description ?? "kill" }
}
