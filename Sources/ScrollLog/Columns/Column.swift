// The columns that the blocks of a packed segment are split into.

/// The columns of a packed block, in their order in the file: what is alike stands together, so that zstd finds it.
enum Column {
  /// Of each block: its kind, when it was received, how many records and entries it has, or how long a mark is.
  static let blocks = 0
  /// The payloads of marks.
  static let marks = 1
  /// Each entry's tag.
  static let tags = 2
  /// Which session each entry is of.
  static let sessions = 3
  /// The sessions' ids, in the order in which they first come.
  static let newSessions = 4
  /// First number and count of each run.
  static let runs = 5
  /// Which word of kind and mask each event has.
  static let words = 6
  /// The words, in the order in which they first come.
  static let newWords = 7
  /// The events' times.
  static let times = 8
  /// The events' flags and sources.
  static let flags = 9
  /// How long the content is of each entry that is no run.
  static let contentLengths = 10
  /// The content of the entries that are no runs.
  static let contents = 11
  /// The first of the columns of the events' numbers, one for each field.
  static let numbers = 12
  /// How many fields are numbers.
  static let numberCount = 15
  /// The first of the columns of those numbers that cannot be told in units: one for each of their eight bytes.
  static let planes = numbers + numberCount
  /// How many columns there are.
  static let count = planes + 8
}
