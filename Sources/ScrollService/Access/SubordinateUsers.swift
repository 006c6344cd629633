import Platform

/// The users that own subordinate user ids, as subuid(5) lists them.
///
/// In a user namespace, every user can act as any of their subordinate ids, 65,536 on Debian. For limits, these ids are
/// therefore their owner; for access they are users of their own, as for the kernel.
public struct SubordinateUsers: Equatable, Sendable {
  private struct Range: Equatable, Sendable {
    var ids: ClosedRange<UInt32>
    var owner: UInt32
  }

  /// The file that newuidmap(1) believes.
  static let file = "/etc/subuid"

  /// Without overlaps, in order.
  private var ranges: [Range] = []

  /// Creates an empty list, in which every id is its own owner.
  public init() {}

  /// Creates a list from the text of the file: a line `owner:first:count` for each range.
  ///
  /// Other lines, unknown owners and ids that an earlier line has given to somebody are skipped. So are root's ids, which
  /// containers of different kinds share: each remains its own owner.
  ///
  /// - Parameter user: Returns the id of a user with a name.
  init(_ text: String, user: (String) -> UInt32?) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, let owner = UInt32(parts[0]) ?? user(parts[0]), owner != 0,
        let first = UInt32(parts[1]), let count = UInt32(parts[2]), count > 0
      else { continue }
      let (last, isTooLarge) = first.addingReportingOverflow(count - 1)
      if isTooLarge || ranges.contains(where: { $0.ids.overlaps(first...last) }) { continue }
      ranges.append(Range(ids: first...last, owner: owner))
    }
    ranges.sort { $0.ids.lowerBound < $1.ids.lowerBound }
  }

  /// Reads the system's list; empty if it can't be read.
  static func ofSystem() -> SubordinateUsers {
    guard let bytes = (try? TextFile.readRegular(file)) ?? nil else { return SubordinateUsers() }
    return SubordinateUsers(String(decoding: bytes, as: UTF8.self)) { Accounts.user(named: $0) }
  }

  /// Returns the subordinate ids of a user.
  func ids(of owner: UInt32) -> [ClosedRange<UInt32>] { ranges.filter { $0.owner == owner }.map(\.ids) }

  /// Returns the user that owns an id; the id itself if it is not subordinate.
  func owner(of id: UInt32) -> UInt32 {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].ids.upperBound < id { low = middle + 1 } else { high = middle }
    }
    guard low < ranges.count, ranges[low].ids.contains(id) else { return id }
    return ranges[low].owner
  }
}
