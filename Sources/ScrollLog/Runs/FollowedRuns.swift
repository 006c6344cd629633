import ScrollModel

/// The runs of the daemon in which relays followed the log, oldest first.
///
/// A run is from a start of the daemon to the next one. Each has a random id, which relays store with their position. A copy of the
/// log that continues separately, such as that of a cloned machine, does not know the ids of the original's later runs.
public struct FollowedRuns: Equatable, Sendable {
  /// A run in which a relay followed.
  public struct Run: Equatable, Sendable {
    /// The id.
    public var id: SessionID
    /// The last position of the log when the run began.
    public var after: Position
    /// When it began, by the log's clock, microseconds since the Unix epoch.
    public var began: Int64

    /// Creates a run from its parts.
    public init(id: SessionID, after: Position, began: Int64) {
      self.id = id
      self.after = after
      self.began = began
    }
  }

  /// What a relay stores with the last position that it was sent.
  public struct Place: Equatable, Sendable {
    /// The position.
    public var position: Position
    /// The generation of the position.
    public var generation: Generation
    /// When the daemon received the record there; `nil` when the relay doesn't know.
    public var received: Int64?
    /// The run that sent it; `nil` for one that no log can have.
    public var run: SessionID?

    /// Creates a place from its parts.
    public init(position: Position, generation: Generation, received: Int64?, run: SessionID?) {
      self.position = position
      self.generation = generation
      self.received = received
      self.run = run
    }
  }

  /// How many runs are kept at most.
  public static let limit = 4096

  /// The runs; the latest ones if there were more than the limit.
  public private(set) var runs: [Run] = []

  /// Creates an empty list.
  public init() {}

  /// Adds a run after the others.
  public mutating func add(_ run: Run) {
    runs.append(run)
    if runs.count > Self.limit { runs.removeFirst(runs.count - Self.limit) }
  }

  /// Returns whether this log sent a place whose record it no longer has, because retention or a crash removed it.
  public func include(_ place: Place, in generations: GenerationHistory) -> Bool {
    if let index = runs.lastIndex(where: { $0.id == place.run }) {
      guard index + 1 < runs.count else { return true }
      let later = runs[index + 1]
      // A copy may have been made while that run went on.
      if let received = place.received, received > later.began { return false }
      // Only a new generation takes positions back.
      return generations.current > place.generation || place.position <= later.after
    }
    // A restored backup has no list of runs, or an old one. Its generation is at least the time of the restore, while a crash only
    // counts one further. The original may have stored nothing since.
    guard let received = place.received else { return false }
    return generations.current > place.generation && received <= generations.current
  }

  // MARK: Text

  /// The list as text, one line a run: the id, the position and the time.
  var text: String { runs.map { "\($0.id) \($0.after) \($0.began)\n" }.joined() }

  /// Reads the text of a list; `nil` if it is not one.
  init?(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 3, let id = SessionID(parts[0]), let after = Position(parts[1]), let began = Int64(parts[2])
      else { return nil }
      add(Run(id: id, after: after, began: began))
    }
  }
}
