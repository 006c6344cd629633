/// Suggestions for misspelled names.
public enum Suggestion {
  /// Returns the known name nearest to an unknown one; `nil` when none is near.
  public static func nearest(to name: String, among known: [String]) -> String? {
    if let longer = known.first(where: { $0.hasPrefix(name) }), name.count >= 2 { return longer }
    let near = known.map { ($0, distance(name, $0)) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = near, distance <= max(1, name.count / 3) else { return nil }
    return candidate
  }

  /// Returns the number of letters to change, add, remove, or swap with a neighbor.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
