// Socket errors as errors of a connection to the daemon.

import Glibc
internal import Varlink

extension ServiceError {
  /// Creates the error of a failed attempt to connect.
  init(_ error: SocketError, connectingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, let code): self = .cannotConnect(address, code: code)
    case .addressTooLong: self = .addressTooLong(address)
    case .closedByPeer: self = .cannotConnect(address, code: ECONNRESET)
    }
  }

  /// Creates the error of a lost connection.
  init(_ error: SocketError, talkingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, EPIPE), .failed(_, _, ECONNRESET), .closedByPeer:
      self = .connectionLost(address, reason: "the daemon closed it")
    case .failed(_, _, let code): self = .connectionLost(address, reason: String(cString: strerror(code)))
    case .addressTooLong: self = .addressTooLong(address)
    }
  }
}
