// A file system in memory that counts, fails, tears and forgets at will.

import ScrollLog
import Synchronization

/// A file system in memory that counts its operations, makes any of them fail, and loses power.
///
/// It is as unkind as a real one may be. What was not synced can be lost sector by sector in any order; a name that was
/// not synced with its directory can be lost; a sync that failed leaves the data readable and drops it for good; a write
/// that failed has written its first half.
public final class FaultyFileSystem: FileSystem {
  /// An operation that was done or tried.
  public struct Operation: Equatable, Sendable, CustomStringConvertible {
    /// What was done.
    public var operation: FileOperation
    /// To which file or directory.
    public var path: String

    /// An operation of its parts.
    public init(operation: FileOperation, path: String) {
      self.operation = operation
      self.path = path
    }

    /// The text for people.
    public var description: String { "\(operation) \(path)" }
  }

  /// What a disk writes whole or not at all, in bytes.
  public static let sector = 512

  fileprivate final class Node {
    enum Change {
      case write(offset: Int, bytes: [UInt8])
      case resize(Int)
    }

    var current: [UInt8] = []
    var durable: [UInt8] = []
    var pending: [Change] = []
    var isLocked = false

    /// A file like this one that nobody has open.
    func copy() -> Node {
      let copy = Node()
      copy.current = current
      copy.durable = durable
      copy.pending = pending
      return copy
    }

    func apply(_ change: Change) {
      Self.apply(change, to: &current)
      pending.append(change)
    }

    static func apply(_ change: Change, to bytes: inout [UInt8]) {
      switch change {
      case .write(let offset, let written):
        resize(&bytes, max(bytes.count, offset + written.count))
        bytes.replaceSubrange(offset..<(offset + written.count), with: written)
      case .resize(let size):
        resize(&bytes, size)
      }
    }

    private static func resize(_ bytes: inout [UInt8], _ size: Int) {
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
      }
    }
  }

  fileprivate struct State {
    var names: [String: Node] = [:]
    var durableNames: [String: Node] = [:]
    var pendingNames: [(path: String, node: Node?)] = []
    var directories: Set<String> = ["/"]
    var operations: [Operation] = []
    var failures: [Int: ErrorCode] = [:]
    var crashAt = Int.max
    var capacity = Int.max
    var bytesRead: [String: Int] = [:]

    var used: Int { names.values.reduce(0) { $0 + $1.current.count } }
  }

  /// Nodes are touched within the mutex only.
  fileprivate struct Guarded: @unchecked Sendable {
    var state = State()
  }

  fileprivate let guarded: Mutex<Guarded>

  /// An empty file system.
  public init() { guarded = Mutex(Guarded()) }

  private init(_ state: State) { guarded = Mutex(Guarded(state: state)) }

  /// All operations so far, in order.
  public var operations: [Operation] { guarded.withLock { $0.state.operations } }

  /// How many bytes were read of a file.
  public func bytesRead(of path: String) -> Int { guarded.withLock { $0.state.bytesRead[path, default: 0] } }

  /// Makes an operation fail, counted from the next one, 0.
  public func fail(_ index: Int, with code: ErrorCode) {
    guarded.withLock { $0.state.failures[$0.state.operations.count + index] = code }
  }

  /// Takes back all failures that were ordered and not met.
  public func clearFailures() {
    guarded.withLock { $0.state.failures = [:] }
    nextFailures.withLock { $0 = [] }
  }

  /// Makes the next operation of a kind fail.
  public func failNext(_ operation: FileOperation, with code: ErrorCode) {
    nextFailures.withLock { $0.append((operation, code)) }
  }

  private let nextFailures = Mutex<[(FileOperation, ErrorCode)]>([])

  /// Lets an operation, counted from the next one, be the last: it and all later ones fail, with no effect later on.
  public func crash(at index: Int) {
    guarded.withLock { $0.state.crashAt = $0.state.operations.count + index }
  }

  /// The bytes that all files together can have.
  public var capacity: Int {
    get { guarded.withLock { $0.state.capacity } }
    set { guarded.withLock { $0.state.capacity = newValue } }
  }

  /// The file system as a process finds it after the one before was killed; this one stays as it is.
  public func afterKill() -> FaultyFileSystem {
    guarded.withLock { guarded in
      var state = guarded.state
      state.crashAt = .max
      state.failures = [:]
      state.operations = []
      state.bytesRead = [:]
      var copies: [ObjectIdentifier: Node] = [:]
      func copy(_ node: Node) -> Node {
        let copied = copies[ObjectIdentifier(node)] ?? node.copy()
        copies[ObjectIdentifier(node)] = copied
        return copied
      }
      state.names = state.names.mapValues(copy)
      state.durableNames = state.durableNames.mapValues(copy)
      state.pendingNames = state.pendingNames.map { ($0.path, $0.node.map(copy)) }
      return FaultyFileSystem(state)
    }
  }

  /// The file system as it is found after a power loss: of what was not synced, anything may be missing.
  public func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> FaultyFileSystem {
    guarded.withLock { guarded in
      let before = guarded.state
      var names = before.durableNames
      // Names reach the disk in their order; how many did is anyone's guess.
      for (path, node) in before.pendingNames.prefix(Int.random(in: 0...before.pendingNames.count, using: &random)) {
        names[path] = node
      }
      let survival: Double = [0, 0.2, 0.5, 0.9, 1].randomElement(using: &random) ?? 0
      var state = State()
      state.directories = before.directories
      for (path, node) in names.sorted(by: { $0.key < $1.key }) {
        let fresh = Node()
        fresh.durable = node.durable
        for change in node.pending {
          for part in Self.sectors(of: change) where Double.random(in: 0..<1, using: &random) < survival {
            Node.apply(part, to: &fresh.durable)
          }
        }
        fresh.current = fresh.durable
        state.names[path] = fresh
      }
      state.durableNames = state.names
      return FaultyFileSystem(state)
    }
  }

  private static func sectors(of change: Node.Change) -> [Node.Change] {
    guard case .write(let offset, let bytes) = change else { return [change] }
    var parts: [Node.Change] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + sector - (offset + start) % sector)
      parts.append(.write(offset: offset + start, bytes: Array(bytes[start..<end])))
      start = end
    }
    return parts
  }

  /// The names in a directory, without counting as an operation.
  public func names(in directory: String) -> [String] {
    guarded.withLock { guarded in
      guarded.state.names.keys.filter { Self.parent($0) == directory }.map { Self.last($0) }.sorted()
    }
  }

  /// A file's bytes, without counting as an operation.
  public subscript(path: String) -> [UInt8]? {
    get { guarded.withLock { $0.state.names[path]?.current } }
    set {
      guarded.withLock {
        let node = Node()
        node.current = newValue ?? []
        node.durable = node.current
        $0.state.names[path] = newValue == nil ? nil : node
        $0.state.durableNames[path] = $0.state.names[path]
      }
    }
  }

  /// This file system with other bytes in a file, or without it.
  public func with(_ path: String, _ bytes: [UInt8]?) -> FaultyFileSystem {
    self[path] = bytes
    return self
  }

  // MARK: FileSystem, as its protocol says

  /// Opens a file that is there.
  public func openForReading(_ path: String) throws(FileError) -> any File { try open(path) }

  /// Opens a file that is there, to change it.
  public func openForWriting(_ path: String) throws(FileError) -> any File { try open(path) }

  private func open(_ path: String) throws(FileError) -> any File {
    let node = try perform(.open, path) { state throws(FileError) in
      guard let node = state.names[path] else { throw FileError(.open, path: path, code: .noSuchFile) }
      return node
    }
    return FaultyFile(self, node, path)
  }

  /// Makes a file that must not be there.
  public func create(_ path: String) throws(FileError) -> any File {
    let node = try perform(.create, path) { state throws(FileError) in
      guard state.names[path] == nil else { throw FileError(.create, path: path, code: .exists) }
      guard state.directories.contains(Self.parent(path)) else {
        throw FileError(.create, path: path, code: .noSuchFile)
      }
      let node = Node()
      state.names[path] = node
      state.pendingNames.append((path, node))
      return node
    }
    return FaultyFile(self, node, path)
  }

  /// Renames a file over another one, if there is one.
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    try perform(.rename, path) { state throws(FileError) in
      guard let node = state.names[path] else { throw FileError(.rename, path: path, code: .noSuchFile) }
      state.names[newPath] = node
      state.names[path] = nil
      // Both names change at once or not at all; the old one is removed last, which loses no file.
      state.pendingNames.append((newPath, node))
      state.pendingNames.append((path, nil))
    }
  }

  /// Removes a file.
  public func remove(_ path: String) throws(FileError) {
    try perform(.remove, path) { state throws(FileError) in
      guard state.names[path] != nil else { throw FileError(.remove, path: path, code: .noSuchFile) }
      state.names[path] = nil
      state.pendingNames.append((path, nil))
    }
  }

  /// Makes a directory where there is none.
  public func makeDirectory(_ path: String) throws(FileError) -> Bool {
    try perform(.makeDirectory, path) { state throws(FileError) in state.directories.insert(path).inserted }
  }

  /// Makes the names in a directory survive a power loss.
  public func syncDirectory(_ path: String) throws(FileError) {
    try perform(.syncDirectory, path) { state throws(FileError) in
      for (name, node) in state.pendingNames where Self.parent(name) == path { state.durableNames[name] = node }
      state.pendingNames.removeAll { Self.parent($0.path) == path }
    }
  }

  /// The names in a directory, in no order.
  public func list(_ path: String) throws(FileError) -> [String] {
    try perform(.list, path) { state throws(FileError) in
      guard state.directories.contains(path) else { throw FileError(.list, path: path, code: .noSuchFile) }
      return state.names.keys.filter { Self.parent($0) == path }.map { Self.last($0) }
    }
  }

  /// How much room there is.
  public func space(_ path: String) throws(FileError) -> FileSystemSpace {
    try perform(.space, path) { state throws(FileError) in
      FileSystemSpace(total: Int64(state.capacity), available: Int64(max(0, state.capacity - state.used)))
    }
  }

  private static func parent(_ path: String) -> String {
    let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    return parent.isEmpty ? "/" : String(parent)
  }

  private static func last(_ path: String) -> String { String(path.dropFirst(parent(path).count + 1)) }

  /// What an operation does all the same when it fails.
  fileprivate enum Effect {
    case none
    case applies(Node.Change, Node)
    case forgets(Node)
  }

  /// Does an operation, or lets it fail as was ordered.
  @discardableResult
  fileprivate func perform<Value>(
    _ operation: FileOperation, _ path: String, failing effect: Effect = .none,
    _ body: (inout State) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    let result: Result<Value, FileError> = guarded.withLock { guarded in
      let index = guarded.state.operations.count
      guarded.state.operations.append(Operation(operation: operation, path: path))
      if index > guarded.state.crashAt { return .failure(FileError(operation, path: path, code: .inputOutput)) }
      let ordered = nextFailures.withLock { failures -> ErrorCode? in
        guard let first = failures.firstIndex(where: { $0.0 == operation }) else { return nil }
        return failures.remove(at: first).1
      }
      let code = guarded.state.failures[index] ?? ordered ?? (index == guarded.state.crashAt ? .inputOutput : nil)
      if let code {
        switch effect {
        case .none: break
        case .applies(let change, let node): node.apply(change)
        case .forgets(let node): node.pending = []
        }
        return .failure(FileError(operation, path: path, code: code))
      }
      do throws(FileError) {
        return .success(try body(&guarded.state))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// A file of a ``FaultyFileSystem``.
///
/// Unchecked: the node is touched within the file system's mutex only.
private final class FaultyFile: File, @unchecked Sendable {
  let path: String
  private let fileSystem: FaultyFileSystem
  private let node: FaultyFileSystem.Node
  private var holdsLock = false

  init(_ fileSystem: FaultyFileSystem, _ node: FaultyFileSystem.Node, _ path: String) {
    self.fileSystem = fileSystem
    self.node = node
    self.path = path
  }

  deinit {
    if holdsLock { fileSystem.guarded.withLock { _ in node.isLocked = false } }
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try fileSystem.perform(.read, path) { state throws(FileError) in
      let start = min(Int(offset), node.current.count)
      let count = min(buffer.count, node.current.count - start)
      buffer.copyBytes(from: node.current[start..<(start + count)])
      state.bytesRead[path, default: 0] += count
      return count
    }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
    let half = FaultyFileSystem.Node.Change.write(offset: Int(offset), bytes: Array(buffer.prefix(buffer.count / 2)))
    try fileSystem.perform(.write, path, failing: .applies(half, node)) { state throws(FileError) in
      let growth = Int(offset) + buffer.count - node.current.count
      if growth > 0, state.used > state.capacity - growth {
        node.apply(half)
        throw FileError(.write, path: path, code: .noSpace)
      }
      node.apply(.write(offset: Int(offset), bytes: Array(buffer)))
    }
  }

  func sync() throws(FileError) {
    try fileSystem.perform(.sync, path, failing: .forgets(node)) { _ throws(FileError) in
      node.durable = node.current
      node.pending = []
    }
  }

  func truncate(to size: Int64) throws(FileError) {
    try fileSystem.perform(.truncate, path) { _ throws(FileError) in node.apply(.resize(Int(size))) }
  }

  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool {
    try fileSystem.perform(.preallocate, path) { state throws(FileError) in
      let growth = Int(offset + count) - node.current.count
      if growth > 0, state.used > state.capacity - growth { throw FileError(.preallocate, path: path, code: .noSpace) }
      if growth > 0 { node.apply(.resize(Int(offset + count))) }
      return true
    }
  }

  func size() throws(FileError) -> Int64 {
    try fileSystem.perform(.size, path) { _ throws(FileError) in Int64(node.current.count) }
  }

  func lock() throws(FileError) -> Bool {
    try fileSystem.perform(.lock, path) { _ throws(FileError) in
      if node.isLocked { return false }
      node.isLocked = true
      holdsLock = true
      return true
    }
  }
}
