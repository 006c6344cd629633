// What a socket's failure means for a connection to the daemon.

import Glibc
import Varlink

extension ServiceError {
  /// Why there is no connection.
  init(_ error: SocketError, connectingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, let code): self = .cannotConnect(address, code: code)
    case .addressTooLong: self = .addressTooLong(address)
    case .closedByPeer: self = .cannotConnect(address, code: ECONNRESET)
    }
  }

  /// Why a connection is lost.
  init(_ error: SocketError, talkingTo address: ServiceAddress) {
    switch error {
    case .failed(_, _, EPIPE), .failed(_, _, ECONNRESET), .closedByPeer:
      self = .connectionLost(address, reason: "the daemon closed it")
    case .failed(_, _, let code): self = .connectionLost(address, reason: String(cString: strerror(code)))
    case .addressTooLong: self = .addressTooLong(address)
    }
  }
}
