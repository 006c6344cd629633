import Platform
import ScrollModel

extension Policy.ParameterError {
  /// The problem, and which parameter a misspelled name may mean.
  var suggestion: String {
    guard case .unknownParameter(let name, let rule, let known) = self,
      let near = Suggestion.nearest(to: name, among: known)
    else { return description }
    return
      "the rule \(rule) has no parameter “\(name)” (did you mean \(near)?): it has \(known.joined(separator: ", "))"
  }
}
