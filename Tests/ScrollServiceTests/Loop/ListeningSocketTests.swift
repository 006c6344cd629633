import CSystemd
import Foundation
import Glibc
import Platform
import Testing

@testable import ScrollService

@Suite struct ListeningSocketTests {
  /// A temporary directory.
  private final class Directory {
    let path = "/tmp/scrolld-test-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit {
      do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(error)") }
    }
  }

  /// Connects to a path.
  ///
  /// - Returns: The error; `nil` when it worked.
  private func connect(_ path: String) -> Errno? {
    do {
      let socket = try FileDescriptor(socket: .stream)
      try socket.borrowed.connect(to: .path(path))
      return nil
    } catch {
      return error
    }
  }

  /// The error of listening.
  private func problem(_ path: String) -> String {
    do throws(ListeningSocket.Problem) {
      let socket = try ListeningSocket.listen(at: path)
      socket.stop()
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func everyoneMayConnectAndStoppingRemovesThePath() throws {
    let directory = try Directory()
    // Listening also makes the socket's directory.
    let path = directory.path + "/run/socket"
    let socket = try ListeningSocket.listen(at: path)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o666)
    #expect(connect(path) == nil)
    #expect(socket.rawValue >= 0)
    socket.stop()
    #expect(stat(path, &status) == -1)
  }

  @Test func aStaleSocketIsReplacedAndALiveOneIsNot() throws {
    let directory = try Directory()
    let path = directory.path + "/socket"
    let first = try ListeningSocket.listen(at: path)
    #expect(problem(path) == "another scrolld listens on \(path): stop it, or choose another --socket")
    #expect(connect(path) == nil)
    #expect(first.rawValue >= 0)
    // A daemon that is killed leaves its path behind.
    try abandonSocket(at: directory.path + "/stale")
    #expect(connect(directory.path + "/stale") == .connectionRefused)
    #expect(problem(directory.path + "/stale") == "none")
  }

  private func abandonSocket(at path: String) throws {
    let socket = try FileDescriptor(socket: .stream)
    try socket.borrowed.bind(to: .path(path))
    try socket.borrowed.listen(backlog: 1)
  }

  @Test func aFileThatIsNoSocketIsLeftAlone() throws {
    let directory = try Directory()
    let path = directory.path + "/file"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    #expect(problem(path) == "\(path) exists and is not a socket: remove it, or choose another --socket")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func aTooLongPathIsReportedWithTheLimit() throws {
    let longest = "/" + String(repeating: "x", count: 106)
    #expect(longest.utf8.count == UnixAddress.maximumPathLength)
    #expect(problem(longest + "x") == "the socket's path \(longest)x has 108 bytes: it must have at most 107")
  }

  @Test func thePeerHasTheKernelsCredentials() throws {
    var pair: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let near = FileDescriptor(pair[0])
    let far = FileDescriptor(pair[1])
    let peer = try Peer(socket: near.rawValue)
    #expect(peer.user == getuid())
    #expect(peer.groups.first == getgid())
    var groups = [gid_t](repeating: 0, count: 256)
    let count = getgroups(256, &groups)
    #expect(Set(peer.groups.dropFirst()) == Set(groups.prefix(Int(count))))
    #expect(try Peer(socket: far.rawValue) == peer)
    #expect(throws: SystemError.self) { try Peer(socket: -1) }
  }
}
