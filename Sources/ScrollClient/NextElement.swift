/// The outcome of waiting for a stream's next element.
public enum NextElement<Element> {
  /// The stream's next element.
  case element(Element)
  /// Nothing arrived within the timeout. More may come.
  case timedOut
  /// The stream has ended.
  case ended
}

extension NextElement: Sendable where Element: Sendable {}
extension NextElement: Equatable where Element: Equatable {}
