/// A kind of power loss: which pieces of unsynced data reached the disk, what is read in the place of the others, and which
/// names survive.
///
/// Synced data always survives. Chance decides about the rest within the kind.
public struct PowerLoss: Equatable, Sendable, CustomStringConvertible {
  /// Which of the changes to a file reached the disk.
  public enum Survival: String, CaseIterable, Sendable {
    case none, all
    /// All up to some point, in the order in which they were made.
    case earliest
    /// All from some point on, and none before it.
    case latest
    /// Any of them.
    case some
  }

  /// What is read in the place of a piece that did not reach the disk.
  public enum Remains: String, CaseIterable, Sendable {
    /// The earlier bytes.
    case before
    /// Zeros: the file has grown without its content.
    case zeros
    /// Bytes of a removed file: the file has grown over space that was used before.
    case stale
  }

  /// Which changes of names since the last sync of the directory reached the disk.
  public enum Names: String, CaseIterable, Sendable {
    case none, all
    /// All up to some point, in order.
    case earliest
    /// Any of them, each independently.
    case some
  }

  /// Which pieces of data reached the disk.
  public var survival: Survival
  /// The size of what is written atomically, in bytes: a sector or a page.
  public var piece: Int
  /// What is read in the place of a lost piece.
  public var remains: Remains
  /// Which names reached the disk; `nil` for any of the above.
  public var names: Names?

  /// Creates a kind.
  public init(_ survival: Survival, piece: Int = 512, remains: Remains = .before, names: Names? = nil) {
    self.survival = survival
    self.piece = piece
    self.remains = remains
    self.names = names
  }

  /// 25 kinds: each survival of data with each size of pieces and each remainder, and names that survive without their data
  /// or the other way round.
  public static let kinds: [PowerLoss] =
    [Survival.earliest, .latest, .some].flatMap { survival in
      [512, 4096].flatMap { piece in Remains.allCases.map { PowerLoss(survival, piece: piece, remains: $0) } }
    }
    + Remains.allCases.map { PowerLoss(.none, remains: $0) } + [
      PowerLoss(.all), PowerLoss(.all, names: Names.none), PowerLoss(.all, names: .some),
      PowerLoss(.none, names: .all),
    ]

  /// Returns a random kind.
  public static func random(using random: inout some RandomNumberGenerator) -> PowerLoss {
    PowerLoss(
      Survival.allCases.randomElement(using: &random) ?? .some, piece: Bool.random(using: &random) ? 512 : 4096,
      remains: Remains.allCases.randomElement(using: &random) ?? .before)
  }

  /// The kind as text for people.
  public var description: String {
    let names = names.map(\.rawValue) ?? "any"
    return "power loss (data \(survival.rawValue) in pieces of \(piece), else \(remains.rawValue); names \(names))"
  }
}
