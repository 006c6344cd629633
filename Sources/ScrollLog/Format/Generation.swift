import ScrollModel

/// The number of a history of the log. A new one begins whenever recovery takes back records that clients may have seen.
public typealias Generation = Int64

/// The generations of a log so far.
public struct GenerationHistory: Equatable, Sendable {
  /// A generation and where it begins.
  public struct Entry: Equatable, Sendable {
    /// The generation.
    public var generation: Generation
    /// The last position that it shares with the previous generations; 0 when it shares none.
    public var after: Position

    /// Creates an entry for a generation that begins after a position.
    public init(generation: Generation, after: Position) {
      self.generation = generation
      self.after = after
    }
  }

  /// The generations in ascending order, the current one last; never empty.
  public internal(set) var entries: [Entry]

  /// Creates the history of a new log.
  public init(first: Generation = 1) {
    entries = [Entry(generation: first, after: 0)]
  }

  /// Creates a history read from a log; `nil` when it is empty or not in ascending order.
  init?(entries: [Entry]) {
    guard !entries.isEmpty, zip(entries, entries.dropFirst()).allSatisfy({ $0.generation < $1.generation }) else {
      return nil
    }
    self.entries = entries
  }

  /// Returns a new generation for a log that may have had unknown generations, since records are lost or other copies of
  /// the log continue as well.
  ///
  /// It must differ from all of those, so it is at least the clock's microseconds: no log gets there by counting its
  /// recoveries, and no two copies continue in the same generation.
  ///
  /// - Parameters:
  ///   - greatest: the greatest known generation.
  ///   - now: the current time, microseconds since the Unix epoch.
  static func generation(beyond greatest: Generation, now: Int64) -> Generation {
    max(greatest + 1, now)
  }

  /// The current generation.
  public var current: Generation { entries.last?.generation ?? 0 }

  /// Returns the last position whose record is still the one that readers of an older generation saw.
  ///
  /// - Returns: `nil` for a generation that this log never had, and `Position.max` for the current one.
  public func lastPosition(sharedWith generation: Generation) -> Position? {
    guard entries.contains(where: { $0.generation == generation }) else { return nil }
    return entries.lazy.filter { $0.generation > generation }.map(\.after).min() ?? .max
  }

  /// Returns the generation in which the record at a position was written; for position 0, that of the first record.
  public func generation(of position: Position) -> Generation {
    entries.last { $0.after < max(1, position) }?.generation ?? current
  }

  /// Returns the generations that began before a position; `nil` if none did.
  func before(_ position: Position) -> GenerationHistory? {
    GenerationHistory(entries: entries.filter { $0.after < position })
  }

  /// Returns the last position that surely belongs to the same generation as another one.
  public func lastPosition(withGenerationOf position: Position) -> Position {
    entries.lazy.map(\.after).filter { $0 >= position }.min() ?? .max
  }
}
