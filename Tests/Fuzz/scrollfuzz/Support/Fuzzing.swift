/// A decoder under fuzzing. It accepts any bytes, and traps when a promise is broken.
protocol Fuzzing {
  /// Tries one input.
  ///
  /// - Throws: only unexpected errors, each of which is a finding.
  static func check(_ input: UnsafeRawBufferPointer) throws
}

extension Fuzzing {
  /// Tries one input for libFuzzer.
  ///
  /// - Returns: 0, so that libFuzzer may keep the input.
  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    do {
      try check(input)
    } catch {
      fatalError("unexpected error: \(error)")
    }
    return 0
  }
}

/// Ends the program with a finding if a promise is broken.
func hold(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  if !isKept { fatalError("broken promise: \(promise())") }
}
