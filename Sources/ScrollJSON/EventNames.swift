import JSON
import ScrollModel

/// The names of an event's members, for lookups that don't compare a name with one after another.
struct EventNames: Sendable {
  /// What an event's member is.
  enum Member: Sendable {
    case kind
    case time
    case field(Event.Field)
  }

  /// A name in a form that is compared at once: its length, and its first and last bytes.
  private struct Name: Equatable, Sendable {
    /// The most bytes that a name has.
    static let longest = 16

    let count: Int
    let first: UInt64
    let last: UInt64

    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
      count = text.count
      switch count {
      case 8...:
        // In a name of up to 16 bytes, every byte is in one of the two.
        first = text.loadUnaligned(as: UInt64.self)
        last = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      case 4...:
        first = UInt64(text.loadUnaligned(as: UInt32.self))
        last = UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      case 1...:
        first = UInt64(text[0]) | UInt64(text[count / 2]) << 8
        last = UInt64(text[count - 1])
      default:
        (first, last) = (0, 0)
      }
    }

    /// The name's row in the table for a factor.
    @inline(__always)
    func row(_ factor: UInt64) -> Int { Int(((first ^ last &* 31) &* factor) >> 57) }
  }

  static let shared = EventNames()

  private let rows: [(name: Name, member: Member)?]
  /// The factor by which each name has a row of its own.
  private let factor: UInt64

  private init() {
    var members: [(name: StaticString, member: Member)] = [("kind", .kind), ("time", .time)]
    members += Event.Field.allCases.map { ($0.name, .field($0)) }
    let names = members.map { Name($0.name.bytes) }
    precondition(names.allSatisfy { $0.count <= Name.longest }, "a field's name is too long for the table of names")
    var factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    while Set(names.map { $0.row(factor) }).count < names.count { factor = factor &* 0x5851_F42D_4C95_7F2D &+ 2 }
    var rows = [(name: Name, member: Member)?](repeating: nil, count: 128)
    for (name, member) in zip(names, members.map(\.member)) { rows[name.row(factor)] = (name, member) }
    self.rows = rows
    self.factor = factor
  }

  /// The member with a name; `nil` for a name that no member of an event has.
  @inline(__always)
  subscript(text: JSONText) -> Member? {
    let name = Name(text.bytes)
    guard let row = rows[name.row(factor)], row.name == name, name.count <= Name.longest else { return nil }
    return row.member
  }
}
