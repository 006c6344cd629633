// Why a verb came to nothing.

/// Why a verb came to nothing: what is wrong, and, where it can be told, how to put it right.
struct Failure: Error, Equatable, CustomStringConvertible {
  var message: String
  /// Lines that help; `nil` when there is nothing to say.
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  var description: String { message }
}
