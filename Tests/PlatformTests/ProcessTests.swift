import Glibc
import Platform
import Testing

@Suite("Processes and their memory", .timeLimit(.minutes(1)))
struct ProcessTests {
  /// Runs a shell script.
  ///
  /// - Returns: How it ended, and what it wrote to standard error.
  private func run(_ script: String, environment: [String] = []) throws -> (end: ChildProcess.End, text: String) {
    let pipe = try TestPipe()
    let process = try ChildProcess(
      starting: "/bin/sh", arguments: ["-c", script], environment: environment, standardError: pipe.writing)
    pipe.closeWriting()
    var text = ""
    while true {
      let piece = try read(pipe.reading)
      if piece.isEmpty { break }
      text += piece
    }
    return (try process.wait(), text)
  }

  @Test("A program gets its arguments and exactly its environment, and its status is returned")
  func statusAndEnvironment() throws {
    let result = try run("echo $GREETING >&2; exit 3", environment: ["GREETING=hello"])
    #expect(result.end == .status(3))
    #expect(result.text == "hello\n")
  }

  @Test("Standard input and output are the null device")
  func nullDevice() throws {
    let result = try run("read line; echo $? >&2; echo lost")
    #expect(result.text == "1\n")
    #expect(result.end == .status(0))
  }

  @Test("A program that a signal ends reports the signal")
  func signalled() throws {
    let process = try ChildProcess(starting: "/bin/sh", arguments: ["-c", "read line < /dev/tty; sleep 60"])
    process.send(.kill)
    #expect(try process.wait() == .signal(SIGKILL))
    #expect("\(ChildProcess.End.signal(9))" == "signal 9")
    #expect("\(ChildProcess.End.status(1))" == "status 1")
  }

  @Test("A program doesn't inherit blocked or ignored signals")
  func signalDispositions() throws {
    Signal.brokenPipe.ignore()
    let mask = SignalSet([.terminate]).block()
    defer { mask.restore() }
    // The shell can't catch what it inherits as ignored: it would go on to exit with 5.
    #expect(try run("kill -PIPE $$; exit 5").end == .signal(SIGPIPE))
    #expect(try run("kill -TERM $$; exit 5").end == .signal(SIGTERM))
  }

  @Test("A program in a group of its own leads it")
  func groups() throws {
    let process = try ChildProcess(starting: "/bin/sh", arguments: ["-c", "sleep 60"], isInOwnGroup: true)
    #expect(getpgid(process.id) == process.id)
    process.send(.kill)
    try process.wait()
  }

  @Test("A missing program isn't started")
  func missing() {
    #expect(throws: Errno.noSuchFile) { try ChildProcess(starting: "/nowhere/program", arguments: []) }
  }

  @Test("Memory of zeros is shared through its descriptor, and keeps its mapping when it grows")
  func sharedMemory() throws {
    let memory = try SharedMemory(name: "platform-test", size: 4096)
    #expect(memory.bytes.count == 4096)
    #expect(memory.bytes.allSatisfy { $0 == 0 })
    memory.bytes[5] = 42
    try memory.write([1, 2, 3], at: 4096)
    #expect(memory.bytes.count == 4096)
    let copy = try SharedMemory(FileDescriptor(dup(memory.borrowed.rawValue)))
    #expect(copy.bytes.count == 4099)
    #expect(copy.bytes[5] == 42)
    #expect(Array(copy.bytes[4096...]) == [1, 2, 3])
    copy.bytes[6] = 43
    #expect(memory.bytes[6] == 43)
  }

  @Test("Empty memory can't be mapped")
  func emptyMemory() throws {
    let directory = try TestDirectory()
    let path = try directory.makeFile("empty")
    #expect(throws: Errno.invalidArgument) { try SharedMemory(FileDescriptor(opening: path, .readWrite)) }
  }

  @Test("The environment holds the variables that are set")
  func environment() {
    setenv("PLATFORM_TEST", "a=b", 1)
    #expect(CurrentProcess.variable("PLATFORM_TEST") == "a=b")
    #expect(CurrentProcess.environment.contains("PLATFORM_TEST=a=b"))
    #expect(CurrentProcess.variable("PLATFORM_TEST_MISSING") == nil)
  }

  @Test("The process knows its program and its user")
  func identity() throws {
    #expect(try CurrentProcess.executablePath().hasPrefix("/"))
    #expect(CurrentProcess.user == getuid())
    #expect(CurrentProcess.effectiveUser == geteuid())
    #expect(try CurrentProcess.raiseDescriptorLimit() > 0)
  }

  @Test("Accounts are found by name, and unknown names are not")
  func accounts() {
    #expect(Accounts.user(named: "root") == 0)
    #expect(Accounts.group(named: "root") == 0)
    #expect(Accounts.userName(of: 0) == "root")
    #expect(Accounts.user(named: "no such user") == nil)
    #expect(Accounts.group(named: "no such group") == nil)
    #expect(Accounts.userName(of: 4_000_000_000) == nil)
  }

  @Test("A day beyond its month is a day of the next month")
  func calendars() {
    let first = CivilCalendar.utc.civil(1_796_000_000)
    #expect(CivilCalendar.utc.second(first) == 1_796_000_000)
    #expect(CivilCalendar.utc.second(CivilTime(year: 1970, month: 1, day: 1)) == 0)
    let leap = CivilCalendar.utc.second(CivilTime(year: 2024, month: 2, day: 30))
    #expect(CivilCalendar.utc.civil(leap) == CivilTime(year: 2024, month: 3, day: 1))
    let local = CivilCalendar.local.civil(1_796_000_000)
    #expect(CivilCalendar.local.second(local) == 1_796_000_000)
  }

  @Test("A byte is found from an offset on")
  func bytes() {
    Array("a,b,".utf8).withUnsafeBytes { bytes in
      #expect(bytes.firstOffset(of: 44) == 1)
      #expect(bytes.firstOffset(of: 44, from: 2) == 3)
      #expect(bytes.firstOffset(of: 44, from: 4) == nil)
      #expect(bytes.firstOffset(of: 99) == nil)
    }
    #expect(UnsafeRawBufferPointer(start: nil, count: 0).firstOffset(of: 0) == nil)
  }
}
