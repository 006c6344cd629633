import JSON

/// Where the event of a transition is that was folded again, without the daemon's own position. What is `nil` is left out.
public struct FoldPlace: Equatable, Sendable {
  /// The recording's file, where several are folded.
  public var file: String?
  /// The event's line in its file, 1 for the first.
  public var line: Int?
  /// The event's number in its logged session, 1 for the first.
  public var number: Int64?

  /// Creates a place from its parts.
  public init(file: String? = nil, line: Int? = nil, number: Int64? = nil) {
    self.file = file
    self.line = line
    self.number = number
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("file", ifPresent: file)
    writer.member("line", ifPresent: line)
    writer.member("number", ifPresent: number)
  }
}
