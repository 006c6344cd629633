// What a fuzz target is.

/// A decoder under fuzzing: it takes any bytes at all, and traps when a promise does not hold.
protocol Fuzzing {
  /// Tries one input.
  ///
  /// - Throws: nothing that an input can bring about. What a target does not expect is a finding.
  static func check(_ input: UnsafeRawBufferPointer) throws
}

extension Fuzzing {
  /// Tries one input as libFuzzer wants it: 0 for an input that is of use.
  static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
    do {
      try check(input)
    } catch {
      fatalError("an error that nobody expects: \(error)")
    }
    return 0
  }
}

/// Ends the program with a finding when a promise does not hold.
func hold(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  if !isKept { fatalError("broken promise: \(promise())") }
}
