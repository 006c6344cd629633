import Glibc
import Platform
import Testing

@Suite("Descriptors and files")
struct FileDescriptorTests {
  private func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

  @Test("A descriptor is closed at the end of its owner's life")
  func closing() throws {
    // Other tests open descriptors at the same time, so the number is one that they don't reach.
    let number: Int32 = 700
    func own() throws {
      let pipe = try TestPipe()
      try #require(dup2(pipe.reading.rawValue, number) == number)
      let owner = FileDescriptor(number)
      #expect(isOpen(owner.rawValue))
    }
    try own()
    #expect(!isOpen(number))
  }

  @Test("A pipe gets bytes through, and ends with its writing end")
  func pipe() throws {
    let pipe = try TestPipe()
    try pipe.writing.write("scroll")
    #expect(try read(pipe.reading) == "scroll")
    pipe.closeWriting()
    #expect(try read(pipe.reading) == "")
  }

  @Test("A read of a nonblocking descriptor fails instead of waiting")
  func nonBlocking() throws {
    let pipe = try TestPipe()
    try pipe.reading.setNonBlocking()
    #expect(throws: Errno.wouldBlock) { try read(pipe.reading) }
  }

  @Test("A long text is written whole though the pipe takes it in parts")
  func longWrite() throws {
    let pipe = try TestPipe()
    let text = String(repeating: "0123456789", count: 30_000)
    let writing = pipe.writing
    let writer = try WorkerThread { try? writing.write(text) }
    var received = ""
    while received.utf8.count < text.utf8.count { received += try read(pipe.reading) }
    writer.join()
    #expect(received == text)
  }

  @Test("A write to a pipe without a reader fails")
  func brokenPipe() throws {
    Signal.brokenPipe.ignore()
    let ends = try makePipe()
    let writing = FileDescriptor(ends.writing)
    _ = FileDescriptor(ends.reading)
    #expect(throws: Errno.brokenPipe) { try writing.borrowed.write("x") }
  }

  @Test("Files are read and written at offsets, and truncated")
  func offsets() throws {
    let directory = try TestDirectory()
    let path = try directory.makeFile("a", "abcdef")
    let file = try FileDescriptor(opening: path, .readWrite)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
    defer { room.deallocate() }
    #expect(try file.borrowed.read(at: 4, into: room) == 2)
    #expect(Array(room[..<2]) == Array("ef".utf8))
    #expect(try file.borrowed.write(UnsafeRawBufferPointer(rebasing: room[..<2]), at: 0) == 2)
    #expect(try file.borrowed.read(at: 100, into: room) == 0)
    try file.borrowed.truncate(to: 3)
    try file.borrowed.syncContent()
    #expect(try TextFile.read(path) == Array("efc".utf8))
    #expect(try FileStatus(file.borrowed).size == 3)
  }

  @Test("Preallocation extends a file with zeros")
  func preallocation() throws {
    let directory = try TestDirectory()
    let path = try directory.makeFile("a", "x")
    let file = try FileDescriptor(opening: path, .readWrite)
    try file.borrowed.preallocate(from: 0, count: 4)
    #expect(try TextFile.read(path) == Array("x\0\0\0".utf8))
    #expect(throws: Errno.invalidArgument) { try file.borrowed.preallocate(from: 0, count: 0) }
  }

  @Test("A file can't be locked twice")
  func locking() throws {
    let directory = try TestDirectory()
    let path = try directory.makeFile("lock")
    let first = try FileDescriptor(opening: path, .readWrite)
    let second = try FileDescriptor(opening: path, .readWrite)
    try first.borrowed.lock()
    #expect(throws: Errno.wouldBlock) { try second.borrowed.lock() }
    #expect(first.rawValue >= 0)
  }

  @Test("A status tells the kind of each file, of a link or of its target")
  func kinds() throws {
    let directory = try TestDirectory()
    let file = try directory.makeFile("file", "12")
    let link = directory.path + "/link"
    try #require(symlink(file, link) == 0)
    #expect(try FileStatus(file).kind == .regular)
    #expect(try FileStatus(link).kind == .regular)
    #expect(try FileStatus(unresolved: link).kind == .symbolicLink)
    #expect(try FileStatus(directory.path).kind == .directory)
    #expect(try FileStatus("/dev/null").kind == .device)
    let pipe = try TestPipe()
    #expect(try FileStatus(pipe.reading).kind == .fifo)
    pipe.closeWriting()
    #expect(throws: Errno.noSuchFile) { try FileStatus(directory.path + "/missing") }
  }

  @Test("A removed file has no links")
  func linkCount() throws {
    let directory = try TestDirectory()
    let path = try directory.makeFile("a")
    let file = try FileDescriptor(opening: path, .readOnly)
    #expect(try FileStatus(file.borrowed).linkCount == 1)
    try Files.remove(path)
    #expect(try FileStatus(file.borrowed).linkCount == 0)
  }

  @Test("Directories are made once, listed, and removed with their contents")
  func directories() throws {
    let directory = try TestDirectory()
    let inner = directory.path + "/inner"
    #expect(try Directory.make(inner, permissions: 0o700))
    #expect(try !Directory.make(inner, permissions: 0o700))
    _ = try directory.makeFile("inner/a")
    _ = try directory.makeFile("b")
    #expect(try Set(Directory.names(in: directory.path)) == ["inner", "b"])
    #expect(throws: Errno.self) { try Directory.remove(inner) }
    Directory.removeTree(inner)
    #expect(!Files.exists(inner))
    #expect(throws: Errno.noSuchFile) { try Directory.names(in: inner) }
    #expect(throws: Errno.notDirectory) { try Directory.names(in: directory.path + "/b") }
  }

  @Test("Removing a tree leaves the target of a link alone")
  func treeWithLink() throws {
    let directory = try TestDirectory()
    let kept = try directory.makeFile("kept")
    try Directory.make(directory.path + "/tree", permissions: 0o700)
    try #require(symlink(directory.path, directory.path + "/tree/link") == 0)
    Directory.removeTree(directory.path + "/tree")
    #expect(Files.exists(kept))
  }

  @Test("Two temporary directories differ, and only the owner enters them")
  func temporaryDirectories() throws {
    let (first, second) = (try TestDirectory(), try TestDirectory())
    #expect(first.path != second.path)
    var status = stat()
    #expect(stat(first.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test("A path is resolved to one from the root without links")
  func resolving() throws {
    let directory = try TestDirectory()
    try #require(symlink(directory.path, directory.path + "/link") == 0)
    #expect(try Files.resolve(directory.path + "/link/./link") == directory.path)
    #expect(throws: Errno.noSuchFile) { try Files.resolve(directory.path + "/missing") }
  }

  @Test("A file system has at most its whole size available")
  func space() throws {
    let space = try Files.space(of: "/tmp")
    #expect(space.total > 0)
    #expect((0...space.total).contains(space.available))
  }
}

@Suite("Whole files")
struct TextFileTests {
  @Test("A file is read whole")
  func reading() throws {
    let directory = try TestDirectory()
    let text = String(repeating: "line\n", count: 40_000)
    #expect(try TextFile.read(directory.makeFile("a", text)) == Array(text.utf8))
    #expect(throws: SystemError("open", "/nowhere", .noSuchFile)) { try TextFile.read("/nowhere") }
    #expect(throws: SystemError("read", directory.path, .isDirectory)) { try TextFile.read(directory.path) }
  }

  @Test("Only regular files and the null device are read where a regular file must be", .timeLimit(.minutes(1)))
  func regular() throws {
    let directory = try TestDirectory()
    #expect(try TextFile.readRegular(directory.makeFile("a", "text")) == Array("text".utf8))
    #expect(try TextFile.readRegular("/dev/null") == [])
    #expect(try TextFile.readRegular("/dev/zero") == nil)
    #expect(try TextFile.readRegular(directory.path) == nil)
    try #require(mkfifo(directory.path + "/fifo", 0o600) == 0)
    #expect(try TextFile.readRegular(directory.path + "/fifo") == nil)
    let socket = try FileDescriptor(socket: .stream)
    try socket.borrowed.bind(to: .path(directory.path + "/socket"))
    #expect(try TextFile.readRegular(directory.path + "/socket") == nil)
    #expect(throws: SystemError("open", "/nowhere", .noSuchFile)) { try TextFile.readRegular("/nowhere") }
  }
}
