import JSON
import ScrollClient
import ScrollClientTesting
import ScrollModel
import Testing
import Varlink

@Suite("Manager calls")
struct ManagerTests {
  @Test("Statistics have the JSON form that the daemon sends")
  func statistics() throws {
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"started":1796000000000000,"metrics":[{"name":"appends","value":4,"kind":"counter"}]}"#
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    let statistics = try ServiceConnection(daemon.address).statistics()
    #expect(statistics.metrics.first?.name == "appends")
    #expect(statistics.metrics.first?.kind == .counter)
    #expect(statistics.started == UnixMicroseconds(1_796_000_000_000_000))
    #expect(statistics.json == text)
  }

  @Test("An older daemon does not say when it started")
  func olderStatistics() throws {
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"metrics":[]}"#
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    let statistics = try ServiceConnection(daemon.address).statistics()
    #expect(statistics.started == nil)
    #expect(statistics.json == text)
  }

  @Test("A reload returns the warnings about the new configuration")
  func warnings() throws {
    let daemon = try FakeDaemon { _, count, _ in .reply(count == 0 ? "{}" : #"{"warnings":["a","b"]}"#) }
    let connection = try ServiceConnection(daemon.address)
    #expect(try connection.reload().isEmpty)
    #expect(try connection.reload() == ["a", "b"])
  }

  @Test("A configuration error names the file, line and key", arguments: [false, true])
  func badConfiguration(hasOthers: Bool) throws {
    let daemon = try FakeDaemon { _, _, _ in
      .error(
        VarlinkError("org.scrolld.Manager.BadConfiguration") {
          $0.member("file", "/etc/scrolld/scrolld.conf")
          $0.member("line", 7)
          $0.member("key", "Sync")
          $0.member("reason", "does not fit")
          if hasOthers {
            $0.member("others", 2)
            $0.member("check", "scrolld --check-config")
          }
        })
    }
    let refusal = ServiceRefusal.badConfiguration(
      file: "/etc/scrolld/scrolld.conf", line: 7, key: "Sync", reason: "does not fit", others: hasOthers ? 2 : 0,
      check: hasOthers ? "scrolld --check-config" : nil)
    #expect(throws: ServiceError.refused(refusal)) { try ServiceConnection(daemon.address).reload() }
    #expect("\(refusal)" == "/etc/scrolld/scrolld.conf:7: Sync=: does not fit")
  }

  @Test("Sync returns the position, and rotate returns nothing")
  func syncAndRotate() throws {
    let daemon = try FakeDaemon { call, _, _ in
      call.method == "org.scrolld.Manager.Sync" ? .reply(#"{"position":12}"#) : .reply("{}")
    }
    let connection = try ServiceConnection(daemon.address)
    #expect(try connection.sync() == 12)
    try connection.rotate()
    #expect(daemon.received.map(\.method) == ["Sync", "Rotate"])
  }

  @Test("Vacuum sends its limits, and returns what is left")
  func vacuum() throws {
    let daemon = try FakeDaemon { _, _, _ in .reply(#"{"firstPosition":12,"freed":4096}"#) }
    let connection = try ServiceConnection(daemon.address)
    let (firstPosition, freedBytes) = try connection.vacuum(maximumBytes: 100, maximumAge: .microseconds(3_000_001))
    #expect(firstPosition == 12)
    #expect(freedBytes == 4096)
    #expect(daemon.received.map(\.method) == ["Vacuum"])
    #expect(daemon.received.map(\.parameters) == [#"{"maxUse":100,"maxAge":3000001}"#])
  }

  @Test("The error about a file that cannot be removed names it")
  func notRemoved() throws {
    let daemon = try FakeDaemon { _, _, _ in
      .error(
        VarlinkError("org.scrolld.Manager.NotRemoved") {
          $0.member("file", "/log/1")
          $0.member("reason", "Input/output error")
        })
    }
    let refusal = ServiceRefusal.notRemoved(file: "/log/1", reason: "Input/output error")
    #expect(throws: ServiceError.refused(refusal)) {
      try ServiceConnection(daemon.address).vacuum(maximumAge: .microseconds(1))
    }
    #expect("\(refusal)" == "cannot remove /log/1: Input/output error")
  }

  @Test("Forget sends a session or a client")
  func forget() throws {
    let daemon = try FakeDaemon { call, _, _ in
      call.method == "org.scrolld.Manager.Forget" ? .reply(#"{"records":3}"#) : .reply("{}")
    }
    let connection = try ServiceConnection(daemon.address)
    #expect(try connection.forget(SessionID(high: 1, low: 2)) == 3)
    #expect(try connection.forget(client: "reader", user: 7) == 3)
    let refusal = ServiceRefusal.notForgotten(reason: "the log is damaged")
    #expect("\(refusal)" == "not everything could be forgotten: the log is damaged")
  }

  private static let pinned =
    #"{"directory":"/state","files":[{"name":"log/1","firstPosition":1,"bytes":90},{"name":"log/2","firstPosition":8,"#
    + #""bytes":40}],"firstPosition":1,"lastPosition":9,"generation":3}"#

  @Test("A pinned log has its files, and checks that the daemon still keeps them")
  func pinLog() throws {
    // Heartbeats come before and after.
    let daemon = try FakeDaemon { _, _, _ in .stream(["{}", Self.pinned, "{}", "{}"], ends: false) }
    let log = try ServiceConnection(daemon.address).pinLog()
    #expect(log.directory == "/state")
    #expect(log.files.map(\.name) == ["log/1", "log/2"])
    #expect(log.files.map(\.firstPosition) == [1, 8])
    #expect(log.files.map(\.bytes) == [90, 40])
    #expect(log.lastPosition == 9 && log.generation == 3)
    try log.check()
    #expect(daemon.received.map(\.method) == ["Backup"])
  }

  @Test(
    "Files that don't follow each other up to the last position are no log",
    arguments: [
      ([], false), ([0], false), ([1], true), ([9], true), ([10], true), ([11], false), ([1, 8], true),
      ([8, 1], false), ([1, 1], false), ([1, 8, 8], false), ([1, 8, 10], true), ([1, 8, 11], false), ([1, 11], false),
    ] as [([Int], Bool)])
  func inconsistent(firsts: [Int], isLog: Bool) throws {
    let files = firsts.map { #"{"name":"log/\#($0)","firstPosition":\#($0),"bytes":9}"# }.joined(separator: ",")
    let reply = #"{"directory":"/state","files":[\#(files)],"firstPosition":1,"lastPosition":9,"generation":3}"#
    let daemon = try FakeDaemon { _, _, _ in .stream([reply], ends: false) }
    let result = Result { try ServiceConnection(daemon.address).pinLog() }
    switch result {
    case .success(let log): #expect(isLog && log.files.map(\.firstPosition) == firsts.map(Int64.init))
    case .failure(let error): #expect(!isLog && "\(error)".contains("files"), "\(error)")
    }
  }

  @Test("A check fails when the daemon no longer keeps the files", arguments: [true, false])
  func unpinned(isDisturbed: Bool) throws {
    let disturbed = ServiceError.refused(.backupDisturbed)
    let daemon = try FakeDaemon { _, count, _ in
      isDisturbed
        ? .error(VarlinkError("org.scrolld.Manager.BackupDisturbed")) : .stream([Self.pinned, "{}"], ends: true)
    }
    let connection = try ServiceConnection(daemon.address)
    if isDisturbed {
      #expect(throws: disturbed) { try connection.pinLog() }
    } else {
      let log = try connection.pinLog()
      // The end may still be on its way.
      #expect(throws: disturbed) { while true { try log.check() } }
    }
  }

  @Test("Pinning fails when the daemon goes away")
  func pinnedAndGone() throws {
    let daemon = try FakeDaemon { _, _, _ in .hangUp }
    #expect(throws: ServiceError.connectionLost(daemon.address, reason: "the daemon closed it")) {
      try ServiceConnection(daemon.address).pinLog()
    }
  }

  @Test("An import sends the whole opening, and the time and reason of the closing")
  func importing() throws {
    let id = SessionID(high: 1, low: 2)
    let daemon = try FakeDaemon { call, _, _ in
      call.method == "org.scrolld.Manager.Import"
        ? .reply(#"{"session":"\#(id)","nextNumber":4,"generation":1}"#) : .reply("{}")
    }
    let connection = try ServiceConnection(daemon.address)
    var policy = Policy.classic
    policy.name = "mine"
    let opened = try connection.importSession(
      client: "a", time: 7, application: "A", title: "T", session: id, policy: policy)
    #expect(opened.session == id && opened.nextNumber == 4)
    try connection.endImport(id, time: 9, reason: .disconnected)
    #expect(
      daemon.received.map(\.parameters) == [
        #"{"client":"a","time":7,"application":"A","title":"T","session":"\#(id)","policy":"mine","rule":"classic","#
          + #""parameters":[{"name":"topButtonDistance","value":"450"}]}"#,
        #"{"session":"\#(id)","time":9,"reason":"disconnected"}"#,
      ])
  }

  @Test("The error about an open client names its session")
  func clientOpen() throws {
    let id = SessionID(high: 1, low: 2)
    let daemon = try FakeDaemon { _, _, _ in
      .error(VarlinkError("org.scrolld.Manager.ClientOpen") { $0.member("session", id.description) })
    }
    #expect(throws: ServiceError.refused(.clientOpen(session: id))) {
      try ServiceConnection(daemon.address).importSession(client: "a", time: 1)
    }
  }
}
