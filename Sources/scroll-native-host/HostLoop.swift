import NativeHost
import Platform
import ScrollClient
import Varlink

/// The bridge's I/O: standard input and output, and a socket for each channel.
struct HostLoop: ~Copyable {
  private let address: ServiceAddress
  private var bridge: Bridge
  private var sockets: [Channel: ClientSocket] = [:]
  private var readsInput = true

  init(at address: ServiceAddress) {
    self.address = address
    bridge = Bridge(address: address.path, at: .now)
  }

  /// Runs until the browser has closed the connection.
  ///
  /// - Returns: The exit status.
  mutating func run() -> Int32 {
    do throws(SystemError) {
      try SystemError.wrapping("prepare standard output") { () throws(Errno) in
        try BorrowedDescriptor.standardOutput.setNonBlocking()
      }
      while !bridge.isFinished(at: .now) { try turn() }
    } catch {
      StandardError.write("scroll-native-host: \(error)\n")
      return 1
    }
    if case .failed(let reason) = bridge.phase {
      StandardError.write("scroll-native-host: \(reason)\n")
      return 1
    }
    if bridge.undeliveredCount > 0 {
      StandardError.write(
        "scroll-native-host: \(bridge.undeliveredCount) events did not reach the daemon at \(address)\n")
    }
    return 0
  }

  private mutating func turn() throws(SystemError) {
    bridge.advance(to: .now)
    for channel in sockets.keys where !bridge.uses(channel) { sockets[channel] = nil }
    for channel in bridge.channelsToConnect(at: .now) { connect(channel) }
    for channel in sockets.keys { exchange(channel) }
    try writeOutput()
    try wait()
  }

  private mutating func connect(_ channel: Channel) {
    sockets[channel] = nil
    do throws(SocketError) {
      let socket = try ClientSocket(VarlinkAddress(address.path) ?? .path(address.path))
      sockets[channel] = socket
      bridge.connect(channel, socket.connection, at: .now)
    } catch {
      bridge.lose(channel, "\(error)", at: .now)
    }
  }

  /// Sends and receives what a channel's socket is ready for, and handles the replies.
  private mutating func exchange(_ channel: Channel) {
    guard let socket = sockets[channel], bridge.uses(channel) else { return }
    do throws(SocketError) {
      try socket.exchange(until: .now)
      bridge.handleReplies(of: channel, at: .now)
      if socket.hasReceivedEnd { throw .closedByPeer(address: address.path) }
    } catch {
      sockets[channel] = nil
      bridge.lose(channel, "\(error)", at: .now)
    }
  }

  private mutating func wait() throws(SystemError) {
    if bridge.isFinished(at: .now) { return }
    var interests: [(descriptor: BorrowedDescriptor, events: Readiness)] = []
    let readsInput = readsInput && !bridge.isOutputFull
    if readsInput { interests.append((.standardInput, .input)) }
    if bridge.outputCount > 0 { interests.append((.standardOutput, .output)) }
    for socket in sockets.values {
      let isSending = socket.connection.outputCount > 0
      // While the browser doesn't read, the daemon has to wait, too.
      let events: Readiness = bridge.isOutputFull ? (isSending ? .output : []) : isSending ? [.input, .output] : .input
      interests.append((BorrowedDescriptor(socket.descriptor), events))
    }
    let ready = try SystemError.wrapping("wait for input") { [deadline = bridge.deadline] () throws(Errno) in
      try BorrowedDescriptor.wait(for: interests, until: deadline)
    }
    if readsInput, ready[0].contains(.input) { try readInput() }
  }

  private mutating func readInput() throws(SystemError) {
    let count = try withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { room in
      Result { () throws(SystemError) in
        let count = try SystemError.wrapping("read from the browser") { () throws(Errno) in
          try BorrowedDescriptor.standardInput.read(into: room)
        }
        bridge.receive(UnsafeRawBufferPointer(rebasing: room[..<count]), at: .now)
        return count
      }
    }.get()
    if count == 0 {
      readsInput = false
      bridge.receiveEnd(at: .now)
    }
  }

  private mutating func writeOutput() throws(SystemError) {
    while bridge.outputCount > 0 {
      do throws(Errno) {
        let count = try bridge.withUnsafeOutput { (bytes) throws(Errno) in
          try BorrowedDescriptor.standardOutput.writeOnce(bytes)
        }
        bridge.consumeOutput(count)
      } catch {
        if error == .wouldBlock { return }
        // The browser is going away: standard input ends as well, and the daemon gets the rest.
        if error == .brokenPipe { return bridge.consumeOutput(bridge.outputCount) }
        throw SystemError("write to the browser", error)
      }
    }
  }
}
