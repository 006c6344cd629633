import ScrollModel

// The list as text, one line for each session or client:
//
//     scrolld-forgotten 1
//     session 0123456789abcdef0123456789abcdef 1767225600000000
//     client 89abcdef01234567 64-digits 1000 1767225600000000
//     client 89abcdef01234567 64-digits * 1767225600000000 0123456789abcdef0123456789abcdef
//     end 3
//
// A client's line has the key, the hash, the user or `*`, the time, and the sessions that were kept.
extension ForgottenList {
  private static let firstLine = "scrolld-forgotten 1"

  /// A line that is not as it should be.
  public struct BadLine: Error, Equatable, CustomStringConvertible {
    /// The line's number, 1 for the first.
    public var line: Int
    /// The offset of the line, in bytes.
    public var offset: Int
    /// What is wrong, worded to follow the line's number.
    public var reason: String

    /// The error as a phrase for people.
    public var description: String { "line \(line) \(reason)" }
  }

  /// The list as text.
  public var text: String {
    var lines = [Self.firstLine]
    for (id, time) in sortedSessions { lines.append("session \(id) \(time)") }
    for (client, extent) in sortedClients {
      let user = client.user.map(String.init) ?? "*"
      let kept = extent.except.map { " \($0)" }.sorted().joined()
      lines.append("client \(client.key) \(client.hash) \(user) \(extent.received)" + kept)
    }
    lines.append("end \(lines.count - 1)")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads a list.
  ///
  /// - Throws: ``BadLine`` for the first bad line, and when the end is missing.
  public init(text: some StringProtocol) throws(BadLine) {
    self.init()
    var offset = 0
    var number = 0
    var isEnded = false
    func bad(_ reason: String) -> BadLine { BadLine(line: number, offset: offset, reason: reason) }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      if isEnded {
        if line.isEmpty { continue }
        throw bad("follows the end")
      }
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      switch words.first {
      case _ where number == 1:
        if line != Self.firstLine { throw bad("is not “\(Self.firstLine)”") }
      case "session":
        guard words.count == 3, let id = SessionID(words[1]), let time = Int64(words[2]) else {
          throw bad("is not a session's id and a time")
        }
        add(id, at: time)
      case "client":
        guard let (client, extent) = Self.client(words) else {
          throw bad("is not a key, a hash, a user and a time")
        }
        add(client, extent)
      case "end":
        guard words.count == 2, let count = Int(words[1]), count == number - 2 else {
          throw bad("is not the end after \(number - 2) lines: lines are missing or were added")
        }
        isEnded = true
      default: throw bad("is neither a session, a client nor the end")
      }
      offset += line.utf8.count + 1
    }
    if !isEnded { throw bad("should be the end: the list is cut short") }
  }

  private static func client(_ words: [some StringProtocol]) -> (Client, Extent)? {
    guard words.count >= 5, isDigits(words[1], 16), isDigits(words[2], 64), let received = Int64(words[4]) else {
      return nil
    }
    let user = UInt32(words[3])
    if user == nil, words[3] != "*" { return nil }
    let kept = words[5...].compactMap { SessionID($0) }
    guard kept.count == words.count - 5 else { return nil }
    let client = Client(key: String(words[1]), hash: String(words[2]), user: user)
    return (client, Extent(received: received, except: Set(kept)))
  }

  /// Returns whether a text has that many hexadecimal digits in lower case.
  public static func isDigits(_ text: some StringProtocol, _ count: Int) -> Bool {
    text.utf8.count == count && text.allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }
}
