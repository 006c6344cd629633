import Glibc
import Platform
import Testing

@Suite("Errors of system calls")
struct ErrnoTests {
  @Test("An error reads as the C library's text", arguments: [Errno.noSuchFile, .permissionDenied, .noSpace])
  func text(error: Errno) {
    #expect(error.description == String(cString: strerror(error.rawValue)))
  }

  @Test("An unknown error reads as its number")
  func unknown() {
    #expect(Errno(rawValue: 9999).description.contains("9999"))
  }

  @Test("A system error names operation, object and reason")
  func systemError() {
    #expect(SystemError("open", "/x", .permissionDenied).description == "cannot open /x: Permission denied")
    #expect(SystemError("make a socket", .outOfMemory).description == "make a socket: Cannot allocate memory")
  }

  @Test("Wrapping adds operation and object to an error, and passes a result through")
  func wrapping() throws {
    #expect(throws: SystemError("open", "/x", .noSuchFile)) {
      try SystemError.wrapping("open", "/x") { () throws(Errno) in throw .noSuchFile }
    }
    #expect(try SystemError.wrapping("open") { 7 } == 7)
  }

  @Test("An interrupted call is made again, and its result returned")
  func interrupted() throws {
    var calls = 0
    let result = try retryingInterrupts { () -> Int in
      calls += 1
      errno = EINTR
      return calls < 4 ? -1 : 12
    }
    #expect(result == 12)
    #expect(calls == 4)
  }

  @Test("Any other error ends the attempts")
  func otherErrors() {
    var calls = 0
    #expect(throws: Errno.inputOutput) {
      try retryingInterrupts { () -> Int32 in
        calls += 1
        errno = calls == 1 ? EINTR : EIO
        return -1
      }
    }
    #expect(calls == 2)
  }

  @Test("A result that looks like an old error is a result")
  func oldError() throws {
    errno = EINTR
    #expect(try retryingInterrupts { 0 } == 0)
  }
}
