// What a power loss leaves of what was not synced.

/// What a power loss leaves of what was not synced: which pieces of the written data reached the disk, what is read where
/// others did not, and which names.
///
/// What was synced is left as it was, whatever the kind: the disk keeps its word. All else is drawn at random within the kind.
public struct PowerLoss: Equatable, Sendable, CustomStringConvertible {
  /// Which of the changes to a file reached the disk.
  public enum Survival: String, CaseIterable, Sendable {
    case none, all
    /// In the order in which they were made, up to some point.
    case earliest
    /// The other way round: from some point on, and nothing before.
    case latest
    /// Any of them.
    case some
  }

  /// What is read where a piece was written that did not reach the disk.
  public enum Remains: String, CaseIterable, Sendable {
    /// What was there before it was written.
    case before
    /// Zeros: the file has grown, its content has not come.
    case zeros
    /// What a file that is gone had there: the file has grown over space that was used before.
    case stale
  }

  /// Which files' and directories' names that were made, changed and removed since the directory was synced.
  public enum Names: String, CaseIterable, Sendable {
    case none, all
    /// In their order, up to some point.
    case earliest
    /// Any of them, each creation, renaming and removal for itself.
    case some
  }

  /// Which pieces of data reached the disk.
  public var survival: Survival
  /// What is written whole or not at all, in bytes: a sector or a page.
  public var piece: Int
  /// What is read where a piece is lost.
  public var remains: Remains
  /// Which names reached the disk; `nil` for any of these.
  public var names: Names?

  /// A kind of its parts.
  public init(_ survival: Survival, piece: Int = 512, remains: Remains = .before, names: Names? = nil) {
    self.survival = survival
    self.piece = piece
    self.remains = remains
    self.names = names
  }

  /// 25 kinds: each order of data with each size of piece and each rest, and names that come without their data or stay
  /// away from it.
  public static let kinds: [PowerLoss] =
    [Survival.earliest, .latest, .some].flatMap { survival in
      [512, 4096].flatMap { piece in Remains.allCases.map { PowerLoss(survival, piece: piece, remains: $0) } }
    }
    + Remains.allCases.map { PowerLoss(.none, remains: $0) } + [
      PowerLoss(.all), PowerLoss(.all, names: Names.none), PowerLoss(.all, names: .some),
      PowerLoss(.none, names: .all),
    ]

  /// A kind at random.
  public static func random(using random: inout some RandomNumberGenerator) -> PowerLoss {
    PowerLoss(
      Survival.allCases.randomElement(using: &random) ?? .some, piece: Bool.random(using: &random) ? 512 : 4096,
      remains: Remains.allCases.randomElement(using: &random) ?? .before)
  }

  /// The text for people.
  public var description: String {
    let names = names.map(\.rawValue) ?? "any"
    return "power loss (data \(survival.rawValue) in pieces of \(piece), else \(remains.rawValue); names \(names))"
  }
}
