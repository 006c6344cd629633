import ScrollModel

/// Which history of the log this is: 1 at first, one more each time that recovery took back what somebody may have seen.
public typealias Generation = Int64

/// The generations that the log went through.
public struct GenerationHistory: Equatable, Sendable {
  /// A generation and where it began.
  public struct Entry: Equatable, Sendable {
    /// The generation.
    public var generation: Generation
    /// The last position that it has in common with the generations before; 0 when it has none.
    public var after: Position

    /// A generation that began after a position.
    public init(generation: Generation, after: Position) {
      self.generation = generation
      self.after = after
    }
  }

  /// The generations in the order of their numbers, the present one last; never empty.
  public internal(set) var entries: [Entry]

  /// The history of a log that begins now.
  public init(first: Generation = 1) {
    entries = [Entry(generation: first, after: 0)]
  }

  /// A history read from a log; `nil` when it is empty or its generations don't grow.
  init?(entries: [Entry]) {
    guard !entries.isEmpty, zip(entries, entries.dropFirst()).allSatisfy({ $0.generation < $1.generation }) else {
      return nil
    }
    self.entries = entries
  }

  /// A generation that begins where records are gone that no longer tell of the generations in them, or where other copies of
  /// the log go on, too.
  ///
  /// None of those must begin once more, so the clock's microseconds are gone beyond: no log comes to them by counting its
  /// recoveries, and no two copies begin to go on in the same one.
  ///
  /// - Parameters:
  ///   - greatest: the greatest generation that is known.
  ///   - now: the present, microseconds since the Unix epoch.
  static func generation(beyond greatest: Generation, now: Int64) -> Generation {
    max(greatest + 1, now)
  }

  /// The present generation.
  public var current: Generation { entries.last?.generation ?? 0 }

  /// The last position whose record is still the one that a reader of an older generation saw.
  ///
  /// - Returns: `nil` for a generation that this log never had, and `Position.max` for the present one.
  public func lastPosition(sharedWith generation: Generation) -> Position? {
    guard entries.contains(where: { $0.generation == generation }) else { return nil }
    return entries.lazy.filter { $0.generation > generation }.map(\.after).min() ?? .max
  }
}
