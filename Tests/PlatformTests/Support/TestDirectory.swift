import Platform

/// A directory that exists as long as this object.
final class TestDirectory {
  let path: String

  init() throws { path = try Directory.makeTemporary(prefix: "/tmp/platform-test-") }

  deinit { Directory.removeTree(path) }

  /// Makes a file of these bytes.
  func makeFile(_ name: String, _ text: String = "") throws -> String {
    let file = try FileDescriptor(opening: path + "/" + name, [.writeOnly, .create, .exclusive])
    try file.borrowed.write(text)
    return path + "/" + name
  }
}

/// The two ends of a pipe, closed with this object.
final class TestPipe {
  private let readingEnd: FileDescriptor
  private var writingEnd: FileDescriptor?

  init() throws {
    let ends = try makePipe()
    readingEnd = FileDescriptor(ends.reading)
    writingEnd = FileDescriptor(ends.writing)
  }

  var reading: BorrowedDescriptor { readingEnd.borrowed }
  var writing: BorrowedDescriptor { BorrowedDescriptor(writingEnd?.rawValue ?? -1) }

  func closeWriting() { writingEnd = nil }
}

/// Reads up to `count` bytes.
func read(_ descriptor: BorrowedDescriptor, count: Int = 4096) throws -> String {
  try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { room in
    String(decoding: room[..<(try descriptor.read(into: room))], as: UTF8.self)
  }
}
