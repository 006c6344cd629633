// Socket errors as errors of a connection to the daemon.

import Platform
internal import Varlink

extension ServiceError {
  /// Creates the error of a failed attempt to connect.
  init(_ error: SocketError, connectingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, let errno): self = .cannotConnect(address, code: errno.rawValue)
    case .addressTooLong: self = .addressTooLong(address)
    case .closedByPeer: self = .cannotConnect(address, code: Errno.connectionReset.rawValue)
    }
  }

  /// Creates the error of what was received: a protocol violation, or the end of the connection in the middle of a message.
  init(receiving error: any Error, from address: ServiceAddress) {
    if case ProtocolViolation.messageCutOff = error {
      self = .connectionLost(address, reason: "the daemon closed it")
    } else {
      self = .unexpectedReply(address, what: "\(error)")
    }
  }

  /// Creates the error of a lost connection.
  init(_ error: SocketError, talkingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, .brokenPipe), .failed(_, _, .connectionReset), .closedByPeer:
      self = .connectionLost(address, reason: "the daemon closed it")
    case .failed(_, _, let errno): self = .connectionLost(address, reason: "\(errno)")
    case .addressTooLong: self = .addressTooLong(address)
    }
  }
}
