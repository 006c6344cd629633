import ScrollModel

/// The columns of a packed block, in their order in the file. Similar values are together, so that zstd compresses them well.
enum Column {
  /// For each block: its kind, when it was received, and the number of its records and entries, or the length of a mark.
  static let blocks = 0
  /// The payloads of marks.
  static let marks = 1
  /// Each entry's tag.
  static let tags = 2
  /// Each entry's session.
  static let sessions = 3
  /// The IDs of the sessions, in the order of their first occurrence.
  static let newSessions = 4
  /// The first number and the count of each run.
  static let runs = 5
  /// Each event's word of kind and mask, as an index of `newWords`.
  static let words = 6
  /// The words, in the order of their first occurrence.
  static let newWords = 7
  /// The times of the events.
  static let times = 8
  /// The values of the events' fields that have no column of their own.
  static let otherValues = 9
  /// The length of the content of each entry other than a run.
  static let contentLengths = 10
  /// The content of the entries other than runs.
  static let contents = 11
  /// The first column of the events' numbers; each field has one.
  static let numbers = 12
  /// How many fields have a column of their own: the numbers that the first version of the format had.
  static let numberCount = 15

  /// The place of a field's column among those of the numbers; `nil` for a field that is in ``otherValues``: one that holds
  /// something else, or a number that the first version of the format didn't have and that occurs too rarely to need one.
  ///
  /// The count is part of the format, so it does not follow the table of fields. A test compares it with the table.
  @inline(__always)
  static func place(of field: Event.Field) -> Int? {
    field.rawValue < numberCount ? Int(field.rawValue) : nil
  }

  /// The first column of numbers that are not whole units; each of their eight bytes has one.
  static let planes = numbers + numberCount
  /// How many columns there are.
  static let count = planes + 8
}
