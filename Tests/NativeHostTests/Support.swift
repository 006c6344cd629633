import JSON
import ScrollModel
import Varlink

@testable import NativeHost

/// A bridge with a browser and a daemon that a test plays, and a clock that it sets.
final class BridgedWorld {
  var bridge: Bridge
  var now = ContinuousClock.now
  private(set) var connections: [Channel: ClientConnection] = [:]

  init(maximumQueuedBytes: Int = 100_000) {
    bridge = Bridge(address: "/run/scrolld/socket", maximumQueuedBytes: maximumQueuedBytes, at: now)
  }

  /// Frames a message as the browser does.
  static func frame(_ text: String) -> [UInt8] {
    withUnsafeBytes(of: UInt32(text.utf8.count)) { Array($0) } + Array(text.utf8)
  }

  /// Sends operations as the extension does.
  func browser(_ operations: String...) {
    receive(Self.frame(#"{"operations":[\#(operations.joined(separator: ","))]}"#))
  }

  /// Sends bytes as the browser does.
  func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { bridge.receive($0, at: now) } }

  /// Takes the messages for the browser.
  func messages() -> [String] {
    var bytes = bridge.withUnsafeOutput { Array($0) }
    bridge.consumeOutput(bytes.count)
    var messages: [String] = []
    while bytes.count >= 4 {
      let length = bytes.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
      messages.append(String(decoding: bytes[4..<4 + length], as: UTF8.self))
      bytes.removeFirst(4 + length)
    }
    return messages
  }

  /// Connects the channels that are due; returns them.
  @discardableResult
  func connect() -> Set<Channel> {
    bridge.advance(to: now)
    let due = Set(bridge.channelsToConnect(at: now))
    for channel in due {
      let connection = ClientConnection()
      connections[channel] = connection
      bridge.connect(channel, connection, at: now)
    }
    return due
  }

  /// Takes the calls that a channel sends.
  func calls(_ channel: Channel) -> [String] {
    guard let connection = connections[channel] else { return [] }
    let bytes = connection.withUnsafeOutput { Array($0) }
    connection.consumeOutput(bytes.count)
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Replies as the daemon does.
  func daemon(_ channel: Channel, _ replies: String...) {
    for reply in replies {
      (Array(reply.utf8) + [0]).withUnsafeBytes { connections[channel]?.receive($0) }
    }
    bridge.handleReplies(of: channel, at: now)
  }

  /// Whether the host has nothing more to do at a time from now.
  func isFinished(after wait: Duration = .zero) -> Bool { bridge.isFinished(at: now + wait) }

  /// Whether the bridge uses a channel.
  func uses(_ channel: Channel) -> Bool { bridge.uses(channel) }

  /// Replies with parameters.
  func confirm(_ nextNumber: Int) {
    daemon(.feed, #"{"parameters":{"position":1,"nextNumber":\#(nextNumber),"durable":true,"generation":1}}"#)
  }
}

/// The digits of a session's id.
func digits(_ digit: Character) -> String { String(repeating: digit, count: 32) }

/// The operation that opens a session.
func open(_ digit: Character, client: String = "web/1/0/0") -> String {
  #"{"op":"open","session":"\#(digits(digit))","client":"\#(client)"}"#
}

/// The operation that appends scrolls.
func append(_ digit: Character, _ number: Int, count: Int = 1) -> String {
  let event = #"{"kind":"scroll","time":7,"x":0,"y":3}"#
  let events = Array(repeating: event, count: count).joined(separator: ",")
  return #"{"op":"append","session":"\#(digits(digit))","number":\#(number),"events":[\#(events)]}"#
}

/// The operation that closes a session.
func close(_ digit: Character) -> String { #"{"op":"close","session":"\#(digits(digit))"}"# }
