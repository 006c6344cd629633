/// The wrapper that repeats interrupted system calls and turns a result of -1 into an error.
enum SystemCall {
  /// Repeats a call until no signal interrupts it.
  ///
  /// - Throws: ``FileError`` when the call returned -1.
  static func perform<Result: SignedInteger>(
    _ operation: FileOperation, _ path: String, _ call: () -> Result
  ) throws(FileError) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let code = ErrorCode.last
      if code != .interrupted { throw FileError(operation, path: path, code: code) }
    }
  }
}
