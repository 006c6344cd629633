import Platform
import Testing

@testable import ScrollService

@Suite struct NotifierTests {
  /// A service manager's socket.
  private final class Receiver {
    let directory: String
    private let socket: FileDescriptor

    init() throws {
      directory = try Directory.makeTemporary(prefix: "/tmp/scrolld-test-")
      socket = try FileDescriptor(socket: .datagram, isNonBlocking: true)
      try socket.borrowed.bind(to: .path(path))
    }

    deinit { Directory.removeTree(directory) }

    var path: String { directory + "/notify" }

    /// Returns the messages that have arrived.
    func messages() throws -> [String] {
      var found: [String] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        do {
          let count = try bytes.withUnsafeMutableBytes { try socket.borrowed.receive(into: $0) }
          found.append(String(decoding: bytes[..<count], as: UTF8.self))
        } catch let error as Errno where error == .wouldBlock {
          return found
        }
      }
    }
  }

  @Test func statusAndWatchdogReachTheServiceManager() throws {
    let receiver = try Receiver()
    let notifier = Notifier(socket: receiver.path)
    notifier.status("1 session, open")
    notifier.alive()
    #expect(try receiver.messages() == ["STATUS=1 session, open", "WATCHDOG=1"])
  }

  @Test func aServiceManagerThatDoesNotReadDoesNotStopTheLoop() throws {
    let receiver = try Receiver()
    let notifier = Notifier(socket: receiver.path)
    // More than the kernel queues, by default and at most.
    for number in 0..<2000 {
      notifier.status("\(number)")
      notifier.alive()
    }
    let messages = try receiver.messages()
    #expect(messages.starts(with: ["STATUS=0", "WATCHDOG=1", "STATUS=1"]))
    notifier.status("read again")
    #expect(try receiver.messages() == ["STATUS=read again"])
  }

  @Test func withoutAServiceManagerNothingIsSent() {
    Notifier(socket: nil).status("alone")
    Notifier(socket: "/nowhere/notify").status("alone")
  }
}
