/// The stored properties of a value, which tests compare with a table.
public enum StoredProperties {
  /// Returns the values of all stored properties as text, by their paths. The properties of a nested structure have paths
  /// such as `geometry.x`.
  public static func texts(of value: Any) -> [String: String] {
    var texts: [String: String] = [:]
    for child in Mirror(reflecting: value).children {
      guard let label = child.label else { continue }
      if Mirror(reflecting: child.value).displayStyle == .struct, !(child.value is any LosslessStringConvertible) {
        for (path, text) in Self.texts(of: child.value) { texts["\(label).\(path)"] = text }
      } else {
        texts[label] = "\(child.value)"
      }
    }
    return texts
  }
}
