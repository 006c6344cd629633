import Glibc

/// The address of a Unix socket (unix(7)).
public enum UnixAddress: Equatable, Sendable {
  /// A path in the file system.
  case path(String)
  /// A name in the abstract namespace, without its leading NUL.
  case abstract(String)

  /// The longest path that fits into an address, in bytes.
  public static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The address for system calls.
  ///
  /// - Throws: ``Errno/nameTooLong``, or ``Errno/invalidArgument`` for an empty path or one with a NUL.
  fileprivate func systemAddress() throws(Errno) -> SystemAddress {
    let name: [UInt8]
    switch self {
    case .path(let path):
      guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidArgument }
      // The NUL after a path is part of its address.
      name = Array(path.utf8) + [0]
    case .abstract(let text): name = [0] + Array(text.utf8)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { throw .nameTooLong }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = (MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + name.count
    return SystemAddress(address: address, length: socklen_t(length))
  }
}

private struct SystemAddress {
  let address: sockaddr_un
  let length: socklen_t

  /// Lends the address and its length to a system call.
  func lend(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, length) }
    }
  }
}

/// How a socket transfers bytes (socket(2)).
public enum SocketType: Sendable {
  case stream
  case datagram

  fileprivate var rawValue: Int32 {
    switch self {
    case .stream: Int32(SOCK_STREAM.rawValue)
    case .datagram: Int32(SOCK_DGRAM.rawValue)
    }
  }
}

extension FileDescriptor {
  /// A new Unix socket, closed on exec (socket(2)).
  public init(socket type: SocketType, isNonBlocking: Bool = false) throws(Errno) {
    let flags = Int32(SOCK_CLOEXEC.rawValue) | (isNonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0)
    let number = socket(AF_UNIX, type.rawValue | flags, 0)
    try check(number)
    self.init(number)
  }
}

extension BorrowedDescriptor {
  /// Connects the socket (connect(2)).
  public func connect(to address: UnixAddress) throws(Errno) {
    let address = try address.systemAddress()
    // A connect to a Unix socket that a signal interrupted has not begun.
    _ = try retryingInterrupts { address.lend { Glibc.connect(rawValue, $0, $1) } }
  }

  /// Gives the socket an address (bind(2)).
  public func bind(to address: UnixAddress) throws(Errno) {
    try check(address.systemAddress().lend { Glibc.bind(rawValue, $0, $1) })
  }

  /// Listens for connections (listen(2)).
  public func listen(backlog: Int32) throws(Errno) { try check(Glibc.listen(rawValue, backlog)) }

  /// Accepts a connection (accept(2)).
  ///
  /// - Returns: The number of its descriptor, which the caller owns.
  public func accept() throws(Errno) -> Int32 { try retryingInterrupts { Glibc.accept(rawValue, nil, nil) } }

  /// Sends once, without SIGPIPE (send(2)).
  ///
  /// - Parameter waits: Whether to wait for room when the socket does; otherwise the call throws ``Errno/wouldBlock``.
  /// - Returns: How many bytes were sent.
  public func send(_ bytes: UnsafeRawBufferPointer, waits: Bool = true) throws(Errno) -> Int {
    let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    return try retryingInterrupts { Glibc.send(rawValue, bytes.baseAddress, bytes.count, flags) }
  }

  /// Receives once (recv(2)). The kernel closes descriptors that the peer sent along.
  ///
  /// - Parameter waits: Whether to wait for bytes when the socket does; otherwise the call throws ``Errno/wouldBlock``.
  /// - Returns: How many bytes were received; 0 when the peer has ended its side.
  public func receive(into buffer: UnsafeMutableRawBufferPointer, waits: Bool = true) throws(Errno) -> Int {
    let flags = waits ? 0 : Int32(MSG_DONTWAIT)
    return try retryingInterrupts { recv(rawValue, buffer.baseAddress, buffer.count, flags) }
  }

  /// Ends the sending side of a connection (shutdown(2)).
  public func shutdownSending() throws(Errno) { try check(shutdown(rawValue, Int32(SHUT_WR))) }

  /// Ends both sides of a connection, also for processes with a copy of the descriptor (shutdown(2)). A socket without a
  /// connection stays as it is.
  public func shutdownConnection() { _ = shutdown(rawValue, Int32(SHUT_RDWR)) }

  /// Returns the user and the groups of the process at the other end (`SO_PEERCRED`, `SO_PEERGROUPS`, unix(7)).
  public func peerCredentials() throws(Errno) -> (user: UInt32, groups: [UInt32]) {
    // struct ucred, which the C library declares for _GNU_SOURCE only: process, user, group.
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    try check(getsockopt(rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &length))
    var groups = [UInt32](repeating: 0, count: 64)
    while true {
      length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
      if getsockopt(rawValue, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 { break }
      guard Errno.last == .outOfRange else { throw .last }
      groups = [UInt32](repeating: 0, count: Int(length) / MemoryLayout<UInt32>.stride)
    }
    return (credentials.uid, [credentials.gid] + groups.prefix(Int(length) / MemoryLayout<UInt32>.stride))
  }
}
