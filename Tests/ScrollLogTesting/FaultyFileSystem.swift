import Platform
import ScrollLog
import Synchronization

/// A file system in memory that counts its operations, makes any of them fail, and loses power.
///
/// It behaves as badly as a real one may:
///
/// - *Data.* Writes are cut into pieces, sectors of 512 bytes or pages of 4,096, and each piece reaches the disk or not, in any
///   order; so does each change of a file's size. In the place of a lost piece the file has its earlier bytes. If the file had
///   not reached there, it may also have zeros, or bytes that a removed file had at that place.
/// - *Names.* Each creation, rename and removal of a name, and each new directory, reaches the disk or not, in any order,
///   independently of data. A rename is atomic: one of the two names always exists.
/// - *Syncs.* Syncing a file makes its data and its size durable, but not its name. Syncing a directory makes the names in it
///   durable, and nothing else. A failed sync leaves the data readable, but it never reaches the disk.
/// - *Short transfers.* A read or a write that a test made short transfers a part of the bytes, and returns how many.
/// - *Failures.* A failed write has written its first half; any other failed operation has done nothing.
///
/// Synced data is always kept. A kind of ``PowerLoss`` restricts which of the rest survives, and chance decides within it.
public final class FaultyFileSystem: FileSystem {
  /// An operation that was performed or attempted.
  public struct Operation: Equatable, Sendable, CustomStringConvertible {
    /// The operation.
    public var operation: FileOperation
    /// The path of the file or directory.
    public var path: String

    /// Creates an operation.
    public init(operation: FileOperation, path: String) {
      self.operation = operation
      self.path = path
    }

    /// The operation as text for people.
    public var description: String { "\(operation) \(path)" }
  }

  fileprivate final class Node {
    enum Change {
      case write(offset: Int, bytes: ArraySlice<UInt8>)
      case resize(Int)
    }

    var current: [UInt8] = []
    var durable: [UInt8] = []
    var pending: [Change] = []
    var isLocked = false

    /// Returns a copy of this file that is not open.
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
        if bytes.count < offset + written.count { resize(&bytes, offset + written.count) }
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

  /// A change of a directory.
  fileprivate enum NameChange {
    case created(String, Node)
    case renamed(String, to: String, Node)
    case removed(String, Node)
    case madeDirectory(String)

    /// The path in the directory that has to be synced.
    var path: String {
      switch self {
      case .created(let path, _), .renamed(_, let path, _), .removed(let path, _), .madeDirectory(let path): path
      }
    }
  }

  /// The names of all files and directories.
  fileprivate struct Names {
    var files: [String: Node] = [:]
    var directories: Set<String> = ["/"]

    mutating func apply(_ change: NameChange) {
      switch change {
      case .created(let path, let node):
        files[path] = node
      case .renamed(let path, let newPath, let node):
        files[newPath] = node
        if files[path] === node { files[path] = nil }
      case .removed(let path, let node):
        // If an earlier change is lost, another file may have the name.
        if files[path] === node { files[path] = nil }
      case .madeDirectory(let path):
        directories.insert(path)
      }
    }

    /// Removes what is in no existing directory.
    mutating func dropLost() {
      directories = directories.filter { isReachable($0) }
      files = files.filter { directories.contains(parent($0.key)) }
    }

    private func isReachable(_ directory: String) -> Bool {
      directory == "/" || directories.contains(directory) && isReachable(parent(directory))
    }
  }

  fileprivate struct Failure {
    var code: Errno
    var operations: Set<FileOperation>
    var range: Range<Int>
  }

  fileprivate struct State {
    var names = Names()
    var durableNames = Names()
    var pendingNames: [NameChange] = []
    /// The contents of removed files.
    var gone: [[UInt8]] = []
    var operations: [Operation] = []
    var failures: [Int: Errno] = [:]
    var lasting: Failure?
    var crashAt = Int.max
    var capacity = Int.max
    var shortTransfer: Int?
    var areTransfersShort = false
    var bytesRead: [String: Int] = [:]

    func properties(of node: Node) -> FileProperties {
      FileProperties(
        device: 1, inode: UInt64(UInt(bitPattern: ObjectIdentifier(node).hashValue)), size: Int64(node.current.count),
        linkCount: names.files.values.contains { $0 === node } ? 1 : 0)
    }

    var used: Int { names.files.values.reduce(0) { $0 + $1.current.count } }

    mutating func apply(_ change: NameChange) {
      names.apply(change)
      pendingNames.append(change)
    }

    /// Returns how many bytes the current transfer moves.
    func transferred(of count: Int) -> Int {
      let index = operations.count - 1
      guard count > 1 else { return count }
      if index == shortTransfer { return count / 2 }
      // Any number from 1 to `count`, always the same for the same operation.
      return areTransfersShort ? 1 + index &* 0x9E37_79B1 % count : count
    }

    /// Returns the error of an operation, if it fails.
    func failure(of operation: FileOperation, at index: Int) -> Errno? {
      if index == crashAt { return .inputOutput }
      if let lasting, lasting.range.contains(index), lasting.operations.contains(operation) { return lasting.code }
      return failures[index]
    }
  }

  /// The state with its nodes. Unchecked: nodes are touched within the mutex only.
  fileprivate struct Guarded: @unchecked Sendable {
    var state = State()
  }

  fileprivate let guarded: Mutex<Guarded>

  /// Creates an empty file system.
  public init() { guarded = Mutex(Guarded()) }

  private init(_ state: State) { guarded = Mutex(Guarded(state: state)) }

  /// All operations so far, in order.
  public var operations: [Operation] { guarded.withLock { $0.state.operations } }

  /// Returns how many bytes of a file were read.
  public func bytesRead(of path: String) -> Int { guarded.withLock { $0.state.bytesRead[path, default: 0] } }

  /// Makes an operation fail; the next one has index 0.
  public func fail(_ index: Int, with code: Errno) {
    guarded.withLock { $0.state.failures[$0.state.operations.count + index] = code }
  }

  /// Cancels all failures that have not happened yet.
  public func clearFailures() {
    guarded.withLock { guarded in
      guarded.state.failures = [:]
      guarded.state.lasting = nil
    }
    nextFailures.withLock { $0 = [] }
  }

  /// Makes the next operation of a kind fail.
  public func failNext(_ operation: FileOperation, with code: Errno) {
    nextFailures.withLock { $0.append((operation, code)) }
  }

  private let nextFailures = Mutex<[(FileOperation, Errno)]>([])

  /// Makes all operations of some kinds within a range fail; the next operation has index 0.
  public func fail(_ range: Range<Int>, with code: Errno, _ operations: Set<FileOperation>) {
    guarded.withLock { guarded in
      let done = guarded.state.operations.count
      let range = (done + range.lowerBound)..<(range.upperBound == .max ? .max : done + range.upperBound)
      guarded.state.lasting = Failure(code: code, operations: operations, range: range)
    }
  }

  /// Makes an operation transfer half of its bytes, if it is a read or a write; the next operation has index 0.
  public func shorten(_ index: Int) {
    guarded.withLock { $0.state.shortTransfer = $0.state.operations.count + index }
  }

  /// Makes every read and every write from now on transfer a part of its bytes.
  public func shortenAll() { guarded.withLock { $0.state.areTransfersShort = true } }

  /// Makes the machine crash at an operation: it and all later ones fail without effect. The next operation has index 0.
  public func crash(at index: Int) {
    guarded.withLock { $0.state.crashAt = $0.state.operations.count + index }
  }

  /// Whether the machine has crashed.
  public var isCrashed: Bool { guarded.withLock { $0.state.operations.count > $0.state.crashAt } }

  /// The capacity of the disk, in bytes.
  public var capacity: Int {
    get { guarded.withLock { $0.state.capacity } }
    set { guarded.withLock { $0.state.capacity = newValue } }
  }

  /// Returns the file system as the next process finds it after a kill. This one does not change.
  public func afterKill() -> FaultyFileSystem {
    guarded.withLock { guarded in
      let before = guarded.state
      var copies: [ObjectIdentifier: Node] = [:]
      func copy(_ node: Node) -> Node {
        if let copy = copies[ObjectIdentifier(node)] { return copy }
        let copy = node.copy()
        copies[ObjectIdentifier(node)] = copy
        return copy
      }
      var state = State()
      state.names = Names(files: before.names.files.mapValues(copy), directories: before.names.directories)
      state.durableNames = Names(
        files: before.durableNames.files.mapValues(copy), directories: before.durableNames.directories)
      state.pendingNames = before.pendingNames.map { change in
        switch change {
        case .created(let path, let node): .created(path, copy(node))
        case .renamed(let path, let newPath, let node): .renamed(path, to: newPath, copy(node))
        case .removed(let path, let node): .removed(path, copy(node))
        case .madeDirectory: change
        }
      }
      state.gone = before.gone
      state.capacity = before.capacity
      return FaultyFileSystem(state)
    }
  }

  /// Returns the file system after a power loss of any kind: any unsynced change may be missing.
  public func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> FaultyFileSystem {
    afterPowerLoss(.random(using: &random), &random)
  }

  /// Returns the file system after a power loss of a kind. This one does not change.
  public func afterPowerLoss(
    _ loss: PowerLoss, _ random: inout some RandomNumberGenerator
  ) -> FaultyFileSystem {
    guarded.withLock { guarded in
      let before = guarded.state
      var names = before.durableNames
      for change in Self.survivors(before.pendingNames, loss.names, &random) { names.apply(change) }
      names.dropLost()
      var state = State()
      state.names.directories = names.directories
      state.gone = before.gone
      for (path, node) in names.files.sorted(by: { $0.key < $1.key }) {
        let fresh = Node()
        fresh.durable = Self.content(of: node, after: loss, before.gone, &random)
        fresh.current = fresh.durable
        state.names.files[path] = fresh
      }
      state.durableNames = state.names
      return FaultyFileSystem(state)
    }
  }

  private static func survivors(
    _ changes: [NameChange], _ names: PowerLoss.Names?, _ random: inout some RandomNumberGenerator
  ) -> [NameChange] {
    switch names ?? PowerLoss.Names.allCases.randomElement(using: &random) ?? .some {
    case .none: return []
    case .all: return changes
    case .earliest: return Array(changes.prefix(Int.random(in: 0...changes.count, using: &random)))
    case .some: return changes.filter { _ in Bool.random(using: &random) }
    }
  }

  /// Returns the content of a file after a power loss.
  private static func content(
    of node: Node, after loss: PowerLoss, _ gone: [[UInt8]], _ random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    var bytes = node.durable
    let pieces = node.pending.flatMap { Self.pieces(of: $0, loss.piece) }
    let point = Int.random(in: 0...pieces.count, using: &random)
    let chance = Double.random(in: 0..<1, using: &random)
    for (index, piece) in pieces.enumerated() {
      let survives: Bool
      switch loss.survival {
      case .none: survives = false
      case .all: survives = true
      case .earliest: survives = index < point
      case .latest: survives = index >= point
      case .some: survives = Double.random(in: 0..<1, using: &random) < chance
      }
      if survives {
        Node.apply(piece, to: &bytes)
      } else if case .write(let offset, let lost) = piece, loss.remains != .before, Bool.random(using: &random) {
        // Where the file had bytes on the disk before, it still has those.
        let from = max(offset, node.durable.count)
        let end = offset + lost.count
        guard from < end else { continue }
        let rest = loss.remains == .zeros ? nil : gone.filter { $0.count > from }.randomElement(using: &random)
        var bytesThere = [UInt8](repeating: 0, count: end - from)
        if let rest {
          let part = rest[from..<min(rest.count, end)]
          bytesThere.replaceSubrange(0..<part.count, with: part)
        }
        Node.apply(.write(offset: from, bytes: bytesThere[...]), to: &bytes)
      }
    }
    return bytes
  }

  private static func pieces(of change: Node.Change, _ piece: Int) -> [Node.Change] {
    guard case .write(let offset, let bytes) = change else { return [change] }
    var parts: [Node.Change] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + piece - (offset + start) % piece)
      parts.append(
        .write(offset: offset + start, bytes: bytes[(bytes.startIndex + start)..<(bytes.startIndex + end)]))
      start = end
    }
    return parts
  }

  /// The names in a directory, without counting as an operation.
  public func names(in directory: String) -> [String] {
    guarded.withLock { guarded in
      guarded.state.names.files.keys.filter { parent($0) == directory }.map { Self.last($0) }.sorted()
    }
  }

  /// A file's bytes, without counting as an operation.
  public subscript(path: String) -> [UInt8]? {
    get { guarded.withLock { $0.state.names.files[path]?.current } }
    set {
      guarded.withLock {
        let node = Node()
        node.current = newValue ?? []
        node.durable = node.current
        $0.state.names.files[path] = newValue == nil ? nil : node
        $0.state.durableNames.files[path] = $0.state.names.files[path]
      }
    }
  }

  /// Returns a copy of this file system with other bytes in a file, or without the file.
  public func with(_ path: String, _ bytes: [UInt8]?) -> FaultyFileSystem {
    self[path] = bytes
    return self
  }

  // MARK: FileSystem

  /// Opens an existing file for reading.
  public func openForReading(_ path: String) throws(FileError) -> any File { try open(path) }

  /// Opens an existing file for writing.
  public func openForWriting(_ path: String) throws(FileError) -> any File { try open(path) }

  private func open(_ path: String) throws(FileError) -> any File {
    let node = try perform(.open, path) { state throws(FileError) in
      guard let node = state.names.files[path] else { throw FileError(.open, path: path, code: .noSuchFile) }
      return node
    }
    return FaultyFile(self, node, path)
  }

  /// Creates a file that must not exist.
  public func create(_ path: String) throws(FileError) -> any File {
    let node = try perform(.create, path) { state throws(FileError) in
      guard state.names.files[path] == nil else { throw FileError(.create, path: path, code: .fileExists) }
      guard state.names.directories.contains(parent(path)) else {
        throw FileError(.create, path: path, code: .noSuchFile)
      }
      let node = Node()
      state.apply(.created(path, node))
      return node
    }
    return FaultyFile(self, node, path)
  }

  /// Renames a file, replacing any file with the new name.
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    try perform(.rename, path) { state throws(FileError) in
      guard let node = state.names.files[path] else { throw FileError(.rename, path: path, code: .noSuchFile) }
      if let replaced = state.names.files[newPath] { state.gone.append(replaced.current) }
      state.apply(.renamed(path, to: newPath, node))
    }
  }

  /// Removes a file.
  public func remove(_ path: String) throws(FileError) {
    try perform(.remove, path) { state throws(FileError) in
      guard let node = state.names.files[path] else { throw FileError(.remove, path: path, code: .noSuchFile) }
      state.gone.append(node.current)
      state.apply(.removed(path, node))
    }
  }

  /// Creates a directory unless it exists.
  public func makeDirectory(_ path: String) throws(FileError) -> Bool {
    try perform(.makeDirectory, path) { state throws(FileError) in
      guard state.names.directories.contains(parent(path)) else {
        throw FileError(.makeDirectory, path: path, code: .noSuchFile)
      }
      if state.names.directories.contains(path) { return false }
      state.apply(.madeDirectory(path))
      return true
    }
  }

  /// Makes the names in a directory survive a power loss.
  public func syncDirectory(_ path: String) throws(FileError) {
    try perform(.syncDirectory, path) { state throws(FileError) in
      for change in state.pendingNames where parent(change.path) == path { state.durableNames.apply(change) }
      state.pendingNames.removeAll { parent($0.path) == path }
    }
  }

  /// Lists the names in a directory, in no particular order.
  public func list(_ path: String) throws(FileError) -> [String] {
    try perform(.list, path) { state throws(FileError) in
      guard state.names.directories.contains(path) else { throw FileError(.list, path: path, code: .noSuchFile) }
      // In reverse order: reproducible, and wrong for code that relies on an order.
      return state.names.files.keys.filter { parent($0) == path }.map { Self.last($0) }.sorted(by: >)
    }
  }

  /// Returns the properties of the file that a path names.
  public func properties(of path: String) throws(FileError) -> FileProperties {
    try perform(.look, path) { state throws(FileError) in
      guard let node = state.names.files[path] else { throw FileError(.look, path: path, code: .noSuchFile) }
      return state.properties(of: node)
    }
  }

  /// Returns the size and the free space of the disk.
  public func space(_ path: String) throws(FileError) -> FileSystemSpace {
    try perform(.space, path) { state throws(FileError) in
      FileSystemSpace(total: Int64(state.capacity), available: Int64(max(0, state.capacity - state.used)))
    }
  }

  private static func last(_ path: String) -> String {
    String(path.suffix(from: path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex))
  }

  /// Applies the effect that an operation has although it fails.
  fileprivate enum Effect {
    case none
    case applies(Node.Change, Node)
    case forgets(Node)
  }

  /// Performs an operation, or makes it fail as a test has requested.
  @discardableResult
  fileprivate func perform<Value>(
    _ operation: FileOperation, _ path: String, failing effect: Effect = .none,
    _ body: (inout State) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    let result: Result<Value, FileError> = guarded.withLock { guarded in
      let index = guarded.state.operations.count
      guarded.state.operations.append(Operation(operation: operation, path: path))
      if index > guarded.state.crashAt { return .failure(FileError(operation, path: path, code: .inputOutput)) }
      let ordered = nextFailures.withLock { failures -> Errno? in
        guard let first = failures.firstIndex(where: { $0.0 == operation }) else { return nil }
        return failures.remove(at: first).1
      }
      if let code = guarded.state.failure(of: operation, at: index) ?? ordered {
        switch effect {
        case .none: break
        case .applies(let change, let node): node.apply(change)
        // The machine may stop before a sync has done anything: then what was written before it may survive or not.
        case .forgets(let node): if index != guarded.state.crashAt { node.pending = [] }
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

/// Returns the directory that a path is in.
private func parent(_ path: String) -> String {
  let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
  return parent.isEmpty ? "/" : String(parent)
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

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try fileSystem.perform(.read, path) { state throws(FileError) in
      let start = min(Int(offset), node.current.count)
      let count = state.transferred(of: min(buffer.count, node.current.count - start))
      node.current.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)]))
      }
      state.bytesRead[path, default: 0] += count
      return count
    }
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    let bytes = Array(buffer)
    let half = FaultyFileSystem.Node.Change.write(offset: Int(offset), bytes: bytes.prefix(bytes.count / 2))
    return try fileSystem.perform(.write, path, failing: .applies(half, node)) { state throws(FileError) in
      let growth = Int(offset) + bytes.count - node.current.count
      if growth > 0, state.capacity < .max, state.used > state.capacity - growth {
        node.apply(half)
        throw FileError(.write, path: path, code: .noSpace)
      }
      let count = state.transferred(of: bytes.count)
      node.apply(.write(offset: Int(offset), bytes: bytes.prefix(count)))
      return count
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
      if growth > 0, state.capacity < .max, state.used > state.capacity - growth {
        throw FileError(.preallocate, path: path, code: .noSpace)
      }
      if growth > 0 { node.apply(.resize(Int(offset + count))) }
      return true
    }
  }

  func properties() throws(FileError) -> FileProperties {
    try fileSystem.perform(.size, path) { state throws(FileError) in state.properties(of: node) }
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
