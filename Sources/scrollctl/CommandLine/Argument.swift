// An argument of a verb that is no option.

/// An argument of a verb that is no option.
struct Argument: Sendable {
  /// What stands for it in help: `FILE`, `top|bottom`, or `FILE…|-` where the dots don't belong to the end.
  var name: String
  var isRequired = true
  /// How many words of the command line it may be at most; only the last argument of a verb may be more than one.
  var words = 1
  /// Whether more of them may follow; only the last argument of a verb may.
  var repeats = false

  /// As help writes it: `FILE`, `[GLOB…]`.
  var synopsis: String {
    let text = repeats && !name.contains("…") ? name + "…" : name
    return isRequired ? text : "[\(text)]"
  }
}
