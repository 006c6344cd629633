import JSON
import Testing
import Varlink

@testable import ScrollService

/// A client of the daemon over bytes in memory. A test can stop either direction.
final class TestClient {
  /// The id of its connection, which changes with each daemon.
  var id: UInt64
  let peer: Peer
  /// A reference cycle until the client hangs up, which is fine in a test.
  private let daemon: TestDaemon
  private let connection = ClientConnection()
  private let parser = JSONParser()
  private var calls: [ClientCallToken: TestCall] = [:]
  /// Raw bytes to send after the calls.
  private var raw: [UInt8] = []
  /// The bytes received since raw bytes were sent.
  private var transcript: [UInt8]?
  /// How many more bytes it reads from the daemon; `.max` for no limit.
  var window = Int.max
  /// Whether the connection has ended.
  private(set) var isClosed = false
  /// How many bytes it received.
  private(set) var receivedCount = 0

  init(_ daemon: TestDaemon, id: UInt64, peer: Peer) {
    self.daemon = daemon
    self.id = id
    self.peer = peer
  }

  var user: UInt32 { peer.user }

  // MARK: Calls

  /// Calls a method, by its short or full name, without waiting for the answer.
  @discardableResult
  func send(_ method: String, _ parameters: JSONTree = [:], _ mode: CallMode = .once) -> TestCall {
    let call = TestCall(daemon.checker.wholeName(ofMethod: method))
    let token = connection.call(call.method, mode) { writer in
      for (name, value) in parameters.members.sorted(by: { $0.key < $1.key }) {
        writer.key(string: name)
        value.write(to: &writer)
      }
    }
    if mode != .oneway { calls[token] = call }
    return call
  }

  /// Calls a method and returns its answer.
  ///
  /// - Throws: ``CallError``.
  @discardableResult
  func call(_ method: String, _ parameters: JSONTree = [:]) throws -> JSONTree {
    let call = send(method, parameters)
    daemon.settle()
    return try call.answer()
  }

  /// Calls a streaming method, and lets the daemon settle.
  func stream(_ method: String, _ parameters: JSONTree = [:]) -> TestCall {
    let call = send(method, parameters, .more)
    daemon.settle()
    return call
  }

  /// Calls a method oneway.
  func oneway(_ method: String, _ parameters: JSONTree = [:]) {
    send(method, parameters, .oneway)
    daemon.settle()
  }

  /// Sends raw bytes, and keeps what is received from now on as raw bytes.
  func send(raw bytes: [UInt8]) {
    raw += bytes
    transcript = transcript ?? []
  }

  /// The messages received since raw bytes were sent.
  var rawReplies: [String] {
    (transcript ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Bytes

  /// Whether it has bytes to send.
  var hasOutput: Bool { connection.outputCount > 0 || !raw.isEmpty }

  /// Sends up to `count` bytes to the daemon.
  func deliver(_ count: Int = 64 << 10) {
    guard !isClosed else { return }
    daemon.markBusy(id)
    if connection.outputCount > 0 {
      let given = connection.withUnsafeOutput { bytes -> Int in
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        daemon.service.receive(piece, on: id)
        return piece.count
      }
      connection.consumeOutput(given)
    } else if !raw.isEmpty {
      let piece = Array(raw.prefix(count))
      raw.removeFirst(piece.count)
      piece.withUnsafeBytes { daemon.service.receive($0, on: id) }
    }
  }

  /// Reads up to `count` bytes from the daemon, within its window.
  func drain(_ count: Int = .max) {
    guard !isClosed else { return }
    let wanted = min(count, window)
    if daemon.service.withOutput(of: id, { !$0.isEmpty }) == true { daemon.markBusy(id) }
    let taken = daemon.service.withOutput(of: id) { bytes -> Int in
      let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted))
      if transcript == nil { connection.receive(piece) } else { transcript?.append(contentsOf: piece) }
      return piece.count
    }
    guard let taken, taken > 0 else { return }
    if window != .max { window -= taken }
    receivedCount += taken
    daemon.service.consumeOutput(taken, of: id)
    readReplies()
  }

  /// Reads everything from now on.
  func read() {
    window = .max
    drain()
    daemon.settle()
  }

  private func readReplies() {
    do {
      while try connection.nextReply(using: parser, { self.take($0) }) != nil {}
    } catch {
      Issue.record("the daemon broke the protocol: \(error)")
    }
  }

  private func take(_ reply: Reply) {
    guard let call = calls[reply.token] else { return }
    let parameters = JSONTree(reply.parameterObject)
    let error = reply.errorName?.string
    let problems =
      error.map { daemon.checker.problems(withError: $0, parameters) }
      ?? daemon.checker.problems(with: parameters, to: call.method)
    if !problems.isEmpty {
      Issue.record("a reply to \(call.method) is not as declared: \(problems), \(parameters)")
    }
    call.receive(parameters, error: error, continues: reply.continues)
    if !reply.continues { calls[reply.token] = nil }
  }

  /// Ends the client's side; it still reads.
  func endSending() {
    daemon.markBusy(id)
    daemon.service.receiveEnd(on: id)
    daemon.settle()
  }

  /// Closes the connection.
  func hangUp() {
    // The id of a connection that the daemon has ended may have been reused.
    guard !isClosed else { return }
    isClosed = true
    daemon.disconnect(id)
  }

  /// Records that the daemon ended the connection.
  func closed() { isClosed = true }
}
