/// An error reply: its own name without the interface, and its parameters.
struct CallError: Error, Equatable, CustomStringConvertible {
  var name: String
  var parameters: JSONTree

  init(_ name: String, _ parameters: JSONTree = [:]) {
    self.name = name
    self.parameters = parameters
  }

  var description: String { "\(name) \(parameters)" }
}
