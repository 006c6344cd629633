@testable import ScrollLog

extension CheckpointReading {
  /// Makes all steps.
  func fold() throws(ReadError) -> Projection {
    while true {
      if let fold = try step() { return fold }
    }
  }
}
