import Glibc
import ScrollModel
import Testing

@testable import ScrollLog

/// A reader written from the documented format alone.
@Suite struct PythonReaderTests {
  static let python = "/usr/bin/python3"

  @Test(.enabled(if: access(python, X_OK) == 0)) func theDocumentedFormatIsEnoughToReadALog() throws {
    let directory = try TemporaryDirectory()
    var options = LogOptions(syncMode: .never, boot: try BootID.current())
    options.packing = PackingSizes(block: 4000, blockRecords: 100, checkpointDistance: 10_000)
    let log = try EventLog.open(directory: directory.path, fileSystem: POSIXFileSystem(), options: options)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(.ofThisRun(13))
    var observer = NoObserver()
    for index in 0..<300 {
      let block = feed.block(&builder)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
      guard index % 100 == 50 else { continue }
      try log.writer.roll(log.projection.checkpoint())
      log.segments.add(log.writer.status.segment)
    }
    // Two of three sealed segments are packed.
    for first in log.segments.firstPositions.prefix(2) {
      _ = try SegmentPacking(directory: log.segments.directory, options: options, firstPosition: first).run()
    }
    // One session of the first segment is forgotten.
    let sealed = feed.expected.prefix { $0.position < log.writer.status.segment }
    let closed = sealed.lazy.compactMap { if case .close = $0.record { $0.session } else { nil } }.first
    let forgotten = try #require(closed)
    for first in log.segments.firstPositions.dropLast().reversed() {
      let found = try log.upkeep.forget(.segment(first, .session(forgotten)))
      #expect(first > 1 || found.count > 0)
    }
    try log.writer.stop()
    let segments = log.segments.firstPositions.map { log.segments.directory.path(of: SegmentName.of($0)) }
    let found = try output([Self.python, script("read_log.py")] + segments)
    let left = feed.expected.filter { $0.session != forgotten }
    #expect(found == left.map { "\($0.position) \($0.received) \($0.session) \(line($0.record))" })
  }

  @Test(.enabled(if: access(python, X_OK) == 0)) func theDocumentedFormatIsEnoughToReadSnapshots() throws {
    var scene = try SnapshotScene()
    var expected: [String] = []
    var before: Int64 = 0
    for _ in 0..<3 {
      try scene.write(12, calls: 60)
      let checkpoint = scene.log.projection.checkpoint()
      let snapshot = try #require(scene.log.segments.snapshot(of: checkpoint))
      try scene.snapshot()
      let offset = scene.log.writer.status.segmentBytes
      let entries = snapshot.entries.map { "\($0.offset):\($0.firstPosition):\($0.received)" }.joined(separator: ",")
      let closed = snapshot.closedSessions.map(text).joined(separator: ",")
      let open = checkpoint.sessions.map { "\($0.id)" }.joined(separator: ",")
      expected.append(
        "\(checkpoint.position) \(checkpoint.received) \(Policy.foldVersion) \(offset) \(before) "
          + "\(snapshot.firstReceived) \(checkpoint.position) "
          + [entries, closed, open].map { $0.isEmpty ? "-" : $0 }.joined(separator: " "))
      before = offset
    }
    let directory = try TemporaryDirectory()
    let bytes = try #require(scene.fileSystem[SnapshotScene.snapshotsPath])
    let file = try POSIXFileSystem().create(directory.path + "/snapshots")
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    #expect(try output([Self.python, script("read_snapshots.py"), file.path]) == expected)
  }

  private func text(_ session: ClosedSession) -> String {
    guard case .user(let user) = session.owner else { return "\(session.id):\(UInt32.max)" }
    return "\(session.id):\(user)"
  }

  private func script(_ name: String) -> String {
    String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.startIndex)) + "/" + name
  }

  /// Runs a program and returns the lines that it prints.
  private func output(_ arguments: [String]) throws -> [String] {
    let file = try TemporaryDirectory()
    let path = file.path + "/output"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT, 0o600)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    #expect(posix_spawn(&child, arguments[0], &actions, nil, &words, environ) == 0)
    var status: Int32 = 0
    waitpid(child, &status, 0)
    #expect(status == 0)
    let output = try POSIXFileSystem().openForReading(path)
    var bytes = [UInt8](repeating: 0, count: Int(try output.size()))
    _ = try bytes.withUnsafeMutableBytes { try output.read(at: 0, into: $0) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func line(_ record: Record) -> String {
    switch record {
    case .event(let event, let number): return "event \(number) \(line(event))"
    case .open(let opening):
      let parameters = opening.policy.parameters.map { " \($0.name)=\($0.value)" }.joined()
      return """
        open \(opening.client.user) \(opening.client.name) \(opening.time) \
        \(opening.application.map { "application=" + $0 } ?? "-") \(opening.title.map { "title=" + $0 } ?? "-") \
        \(opening.givenID.map { "id=\($0)" } ?? "-") \(opening.closeOnDisconnect ? 1 : 0) \(opening.isImported ? 1 : 0) \
        \(opening.policy.name) \(opening.policy.rule.name)\(parameters)
        """
    case .close(let closing): return "close \(closing.time) \(closing.reason.name)"
    case .request(let request):
      switch request.target {
      case .top, .bottom: return "request \(request.time) \(request.target.name)"
      case .page(let page): return "request \(request.time) page \(page)"
      case .offset(let x, let y): return "request \(request.time) offset \(bits(x)) \(bits(y))"
      }
    case .response(let response):
      return "response \(response.time) \(response.request) \(response.done ? 1 : 0) \(response.reason ?? "-")"
    }
  }

  private func line(_ event: Event) -> String {
    var parts = ["\(event.kind.name)", "\(event.time)"]
    for field in Event.Field.allCases {
      if let number = event[number: field] { parts.append("\(field.name)=\(bits(number))") }
      if let flag = event[flag: field] { parts.append("\(field.name)=\(flag ? 1 : 0)") }
    }
    if let source = event.source { parts.append("source=\(source.name)") }
    return parts.joined(separator: " ")
  }

  private func bits(_ number: Double) -> String {
    let digits = String(number.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
