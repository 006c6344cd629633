// Names what happened to the machine.

import ScrollLogTesting

extension PowerLoss {
  /// What happened to the machine, in words; without a power loss it was a kill.
  static func text(_ loss: PowerLoss?) -> String { loss?.description ?? "kill" }
}
