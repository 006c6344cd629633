// A peer of the daemon, over pipes of bytes that a test opens and shuts.

import JSON
import Testing
import Varlink

@testable import ScrollService

/// A peer of the daemon. What it sends and gets are bytes in memory; a test may shut either direction.
final class TestClient {
  /// Its connection's name, another one with each daemon.
  var id: UInt64
  let peer: Peer
  /// The two hold each other until the client hangs up; a test is short.
  private let daemon: TestDaemon
  private let connection = ClientConnection()
  private let parser = JSONParser()
  private var calls: [ClientCallToken: TestCall] = [:]
  /// Bytes to be sent as they are, behind the calls.
  private var raw: [UInt8] = []
  /// What came since bytes were sent as they are.
  private var transcript: [UInt8]?
  /// How many bytes it still takes from the daemon; `.max` while it reads all there is.
  var window = Int.max
  /// The daemon has ended the connection.
  private(set) var isClosed = false
  /// How many bytes it got.
  private(set) var receivedCount = 0

  init(_ daemon: TestDaemon, id: UInt64, peer: Peer) {
    self.daemon = daemon
    self.id = id
    self.peer = peer
  }

  var user: UInt32 { peer.user }

  // MARK: Calls

  /// Calls a method, by its own name or the whole one, and waits for nothing.
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

  /// Calls a streaming method and lets it come as far as it comes.
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

  /// Sends bytes as they are; what comes from then on is kept as it is, too.
  func send(raw bytes: [UInt8]) {
    raw += bytes
    transcript = transcript ?? []
  }

  /// The messages that came since bytes were sent as they are.
  var rawReplies: [String] {
    (transcript ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Bytes

  /// Whether there is something to send.
  var hasOutput: Bool { connection.outputCount > 0 || !raw.isEmpty }

  /// Gives up to `count` bytes to the daemon.
  func deliver(_ count: Int = 64 << 10) {
    guard !isClosed else { return }
    daemon.noteBusy(id)
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

  /// Takes up to `count` bytes from the daemon, and no more than its window lets in.
  func drain(_ count: Int = .max) {
    guard !isClosed else { return }
    let wanted = min(count, window)
    if daemon.service.withOutput(of: id, { !$0.isEmpty }) == true { daemon.noteBusy(id) }
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

  /// Reads all there is from now on.
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
    #expect(problems.isEmpty, "a reply to \(call.method) is not as declared: \(parameters)")
    call.receive(parameters, error: error, continues: reply.continues)
    if !reply.continues { calls[reply.token] = nil }
  }

  /// The client ends its side and still reads.
  func endSending() {
    daemon.noteBusy(id)
    daemon.service.receiveEnd(on: id)
    daemon.settle()
  }

  /// The client is gone.
  func hangUp() {
    // The id of one that the daemon has ended may be another's by now.
    guard !isClosed else { return }
    isClosed = true
    daemon.disconnect(id)
  }

  /// The daemon ended the connection.
  func closed() { isClosed = true }
}
