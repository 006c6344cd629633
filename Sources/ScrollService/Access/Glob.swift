import Varlink

/// A list of patterns over client names, compiled once: `*`, `?` and `[…]`, where `*` also matches `/`.
public struct Glob: Sendable {
  /// The maximum length of a pattern in a call, in bytes: that of the longest client name.
  static let maximumPatternLength = 255
  /// The maximum number of patterns in a call.
  static let maximumCount = 64
  /// The maximum number of comparisons that all patterns of a call may cause for a name.
  static let maximumCallSteps = 65_536

  /// The compiled patterns, of which at least one must match. An empty list matches everything.
  let compiled: [ClientPattern]

  /// Creates a glob from patterns.
  public init(_ patterns: [String] = []) {
    compiled = patterns.map { ClientPattern($0) }
    maximumSteps = compiled.reduce(1) { $0 + $1.maximumSteps }
  }

  /// The patterns as they were written.
  public var patterns: [String] { compiled.map(\.text) }

  /// How many comparisons a match takes at most.
  let maximumSteps: Int

  /// How many records may be matched, folded and sent before other users get their turn.
  var recordsPerTurn: Int64 { Int64(max(4, min(256, Self.maximumCallSteps * 4 / maximumSteps))) }

  /// How much memory the patterns take, compiled and in an index, in bytes.
  var heldBytes: Int { compiled.reduce(0) { $0 + $1.heldBytes } }

  /// Returns whether a name matches.
  public func matches(_ name: String) -> Bool {
    if compiled.isEmpty { return true }
    let scanned = ScannedName(name)
    return compiled.contains { $0.matches(scanned) }
  }

  /// Reads the parameter `clients` of a call. The glob matches everything if the parameter is absent.
  ///
  /// The limits bound how long a match takes, since it delays all other calls.
  ///
  /// - Throws: `TooManyPatterns`, `PatternTooLong` or `PatternsTooComplex`.
  init(_ parameters: inout ParameterReader) throws(VarlinkError) {
    let patterns = try parameters.optionalStringArray("clients") ?? []
    if patterns.count > Self.maximumCount {
      throw ServiceError.tooManyPatterns(limit: Self.maximumCount, given: patterns.count)
    }
    for (index, pattern) in patterns.enumerated() where pattern.utf8.count > Self.maximumPatternLength {
      throw ServiceError.patternTooLong(index: index, limit: Self.maximumPatternLength, given: pattern.utf8.count)
    }
    self.init(patterns)
    if maximumSteps > Self.maximumCallSteps {
      throw ServiceError.patternsTooComplex(limit: Self.maximumCallSteps, given: maximumSteps)
    }
  }
}
