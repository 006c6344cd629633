import ScrollModel

/// The files of a state directory that keep what was forgotten: `forgotten`, the list, and `forgotten.key`, the keys of its
/// hashes.
///
/// Each is replaced in a single rename, and is complete and synced before. They are beside the log, so they stay when a log is
/// begun again or restored.
public struct ForgottenFiles: Sendable {
  static let listName = "forgotten"
  static let keysName = "forgotten.key"
  /// No list or key file is larger, in bytes: it would have ten million lines.
  private static let maximumSize: Int64 = 1 << 30

  private let directory: LogDirectory

  init(_ directory: LogDirectory) { self.directory = directory }

  /// The files of a state directory.
  public init(stateDirectory: String, fileSystem: any FileSystem) {
    directory = LogDirectory(path: stateDirectory, fileSystem: fileSystem)
  }

  private var listPath: String { directory.path + "/" + Self.listName }
  private var keysPath: String { directory.path + "/" + Self.keysName }

  // MARK: Reading

  /// Reads the list, which is empty when the file does not exist.
  ///
  /// - Throws: ``ReadError``.
  public func list() throws(ReadError) -> ForgottenList {
    guard let text = try text(of: listPath) else { return ForgottenList() }
    do {
      return try ForgottenList(text: text)
    } catch {
      throw .logDamaged(LogDamage(file: listPath, offset: Int64(error.offset), reason: "\(error)"))
    }
  }

  /// Reads the keys; `nil` when the file does not exist.
  ///
  /// - Throws: ``ReadError``.
  public func keys() throws(ReadError) -> ForgottenKeys? {
    guard let text = try text(of: keysPath) else { return nil }
    var keys: [ForgottenKey] = []
    var offset: Int64 = 0
    for line in text.split(separator: "\n") {
      guard let key = Hexadecimal.bytes(of: line).flatMap({ ForgottenKey($0) }) else {
        throw .logDamaged(
          LogDamage(
            file: keysPath, offset: offset, reason: "a key must have \(2 * ForgottenKey.size) hexadecimal digits"))
      }
      keys.append(key)
      offset += Int64(line.utf8.count) + 1
    }
    guard let first = keys.first else {
      throw .logDamaged(LogDamage(file: keysPath, offset: 0, reason: "a key is missing"))
    }
    return ForgottenKeys(first, older: Array(keys.dropFirst()))
  }

  private func text(of path: String) throws(ReadError) -> String? {
    do throws(FileError) {
      let file = try directory.fileSystem.openForReading(path)
      let size = try file.size()
      if size > Self.maximumSize { throw FileError(.read, path: path, code: .outOfMemory) }
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 1)
      defer { bytes.deallocate() }
      let count = try file.read(at: 0, into: bytes)
      return String(decoding: bytes[..<count], as: UTF8.self)
    } catch {
      if error.code == .noSuchFile { return nil }
      throw .file(error)
    }
  }

  // MARK: Writing

  /// Returns the keys, and makes one if the directory has none.
  ///
  /// - Throws: ``ReadError``.
  public func makeKeys() throws(ReadError) -> ForgottenKeys {
    if let keys = try keys() { return keys }
    let keys = ForgottenKeys(.random())
    try save(keys)
    return keys
  }

  /// Adds to the list, and returns once it is on the disk.
  ///
  /// - Returns: The whole list.
  /// - Throws: ``ReadError``. The list is then as before, unless only the sync of the directory failed.
  @discardableResult
  func add(_ addition: ForgottenList) throws(ReadError) -> ForgottenList {
    var list = try list()
    let before = list
    list.merge(addition)
    if list != before {
      try replace(listPath, list.text)
      return list
    }
    // An earlier attempt may have renamed the file, and failed to sync its name.
    do throws(FileError) {
      try directory.fileSystem.syncDirectory(directory.path)
    } catch {
      throw .file(error)
    }
    return list
  }

  /// Takes over the list and the keys of another directory.
  ///
  /// - Throws: ``ReadError``.
  func merge(_ other: ForgottenFiles) throws(ReadError) {
    if let theirs = try other.keys() {
      let ours = try keys()
      var merged = ours ?? theirs
      for key in theirs.all { merged.add(key) }
      if merged != ours { try save(merged) }
    }
    try add(other.list())
  }

  /// Removes both files, in a directory that no log belongs to.
  func remove() throws(FileError) {
    for path in [listPath, keysPath] {
      for path in [path, path + SegmentName.temporarySuffix] { try directory.removeIfThere(path) }
    }
  }

  private func save(_ keys: ForgottenKeys) throws(ReadError) {
    try replace(keysPath, keys.all.map { $0.digits + "\n" }.joined())
  }

  private func replace(_ path: String, _ text: String) throws(ReadError) {
    do throws(FileError) {
      try directory.replace(path, with: Array(text.utf8))
    } catch {
      throw .file(error)
    }
  }
}

extension LogDirectory {
  /// Replaces a file of the state directory with a complete and synced one, in a single rename, and syncs the name.
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let temporary = path + SegmentName.temporarySuffix
    // An interrupted attempt may have left its file.
    try removeIfThere(temporary)
    do {
      let file = try fileSystem.create(temporary)
      let pointer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      defer { pointer.deallocate() }
      pointer.copyBytes(from: bytes)
      try file.write(UnsafeRawBufferPointer(pointer), at: 0)
      try file.sync()
      try fileSystem.rename(temporary, to: path)
    } catch {
      // If even that fails, the next attempt removes it.
      _ = try? removeIfThere(temporary)
      throw error
    }
    try fileSystem.syncDirectory(self.path)
  }
}
