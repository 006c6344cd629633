/// Names of files by which people can tell them apart: a file's name without `.ndjson`, with as many of its directories as it
/// takes.
///
///     DistinctNames(["a/read.ndjson", "b/read.ndjson", "b/feed.ndjson"])["a/read.ndjson"]   // a/read
struct DistinctNames {
  private static let ending = ".ndjson"
  /// The name of “-”, as in messages.
  private static let standardInput = "standard input"

  private var names: [String: String] = [:]

  init(_ paths: some Sequence<String>) {
    // `./read` and `read` are the same file.
    let parts = Dictionary(paths.map { ($0, Self.parts($0)) }) { first, _ in first }
    let files = Set(parts.values)
    for (path, own) in parts {
      let others = files.filter { $0 != own }
      let count = (1...max(1, own.count)).first { count in
        !others.contains { Self.tail($0, count) == Self.tail(own, count) }
      }
      // A path that is the end of another one has nothing left to tell it apart by, and needs nothing.
      names[path] = path == "-" ? Self.standardInput : Self.tail(own, count ?? own.count).joined(separator: "/")
    }
  }

  /// Returns whether a name may mean a file: one of its names here, or its path.
  static func mayName(_ name: String, _ path: String) -> Bool {
    if path == "-", name == standardInput { return true }
    let (wanted, own) = (parts(name), parts(path))
    return wanted == tail(own, wanted.count).map(\.self)
  }

  subscript(path: String) -> String { names[path] ?? path }

  private static func parts(_ path: String) -> [String] {
    var parts = path.split(separator: "/").map(String.init).filter { $0 != "." }
    if let name = parts.last, name.hasSuffix(ending), name.count > ending.count {
      parts[parts.count - 1] = String(name.dropLast(ending.count))
    }
    return parts.isEmpty ? [path] : parts
  }

  private static func tail(_ parts: [String], _ count: Int) -> ArraySlice<String> { parts.suffix(count) }
}
