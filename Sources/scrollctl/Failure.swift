/// Why a verb failed, with a hint about the fix if there is one.
struct Failure: Error, Equatable, CustomStringConvertible {
  var message: String
  /// Lines with the fix.
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  var description: String { message }
}
