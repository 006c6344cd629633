import ScrollModel

/// The file of the segment that is being written: where it ends, and how much of it is reserved and synced.
///
/// After ``WriteError/noSpace(_:)`` the file ends as it did before; after ``WriteError/failed(_:)`` it must not be used.
struct SegmentFile {
  private let file: any File
  private let fileSystem: any FileSystem
  private let preallocation: Int64
  /// Where the next block goes.
  private(set) var end: Int64
  /// The end of the reserved space; `nil` when the file system cannot reserve space.
  private var allocatedEnd: Int64?
  /// The offset below which everything is synced.
  private(set) var syncedOffset: Int64
  /// Whether a partly written block was cut off since the last sync.
  private var hasUnsyncedCut = false
  /// When the file's name was last looked up, in microseconds; `nil` before the first time.
  private var nameChecked: Int64?
  /// For how long a look at the file's name counts, in microseconds.
  static let nameCheckInterval: Int64 = 10_000

  /// Creates a file, all of which is synced.
  ///
  /// - Parameters:
  ///   - end: where the last block ends.
  ///   - allocatedEnd: the end of the reserved space; `nil` when the file system cannot reserve space.
  ///   - preallocation: how much space to reserve at a time, in bytes.
  init(
    _ file: any File, of fileSystem: any FileSystem, end: Int64, allocatedEnd: Int64?, preallocation: Int64
  ) {
    self.file = file
    self.fileSystem = fileSystem
    self.end = end
    self.allocatedEnd = allocatedEnd
    self.preallocation = preallocation
    syncedOffset = end
  }

  /// The size of the file with its reserved space, in bytes.
  var reservedBytes: Int64 { max(end, allocatedEnd ?? end) }

  /// Whether the next bytes fit into the reserved space. They do where no space can be reserved.
  func hasSpaceReserved(_ count: Int64) -> Bool { end + count <= allocatedEnd ?? .max }

  /// Whether anything is not synced.
  var needsSync: Bool { syncedOffset < end || hasUnsyncedCut }

  /// Returns the file of the next segment, whose head has just been written and synced.
  func next(_ file: any File, end: Int64) -> SegmentFile {
    SegmentFile(
      file, of: fileSystem, end: end, allocatedEnd: allocatedEnd.map { _ in end + SegmentHead.reserveForMarks },
      preallocation: preallocation)
  }

  /// Checks that the file still has a name, and everything that was written.
  ///
  /// Another program may have emptied, renamed, replaced or removed it. What was written then is not in the log, so nothing
  /// may be acknowledged. A file that was emptied, replaced or removed shows that itself. For one that was only renamed, its
  /// path has to be looked up, which takes longer than everything else here, so that is done from time to time.
  ///
  /// - Parameter now: the monotonic clock, in microseconds; `nil` to look the path up in any case.
  mutating func check(at now: Int64? = nil) throws(WriteError) {
    do throws(FileError) {
      let found = try file.properties()
      if found.size < reservedBytes {
        throw FileError(.cut(from: reservedBytes, to: found.size), path: file.path)
      }
      if found.linkCount > 0, let now, let nameChecked, now - nameChecked < Self.nameCheckInterval { return }
      let named: FileProperties
      do throws(FileError) {
        named = try fileSystem.properties(of: file.path)
      } catch {
        if error.code == .noSuchFile || error.code == .notDirectory { throw FileError(.removed, path: file.path) }
        throw error
      }
      guard (named.device, named.inode) == (found.device, found.inode) else {
        throw FileError(.replaced, path: file.path)
      }
      if let now { nameChecked = now }
    } catch {
      throw .failed(error)
    }
  }

  /// Makes everything written so far survive a power loss.
  mutating func sync() throws(WriteError) {
    do {
      try file.sync()
    } catch {
      throw .failed(error)
    }
    try check()
    syncedOffset = end
    hasUnsyncedCut = false
  }

  /// Appends a block.
  ///
  /// - Parameter room: how many bytes have to stay reserved after it.
  mutating func append(_ bytes: Bytes, _ count: Int, keeping room: Int64 = 0) throws(WriteError) {
    // After reserving or writing at its end, an emptied file looks as long as it should.
    if end + Int64(count) + room > allocatedEnd ?? 0 { try check() }
    do {
      try reserve(Int64(count) + room)
    } catch {
      guard error.isNoSpace else { throw .failed(error) }
      // Frees what may have been reserved in part, but keeps the earlier reserve for the marks of a shutdown and a start.
      try cut(to: allocatedEnd ?? end)
      throw .noSpace(error)
    }
    do {
      try bytes.withBytes(0, count) { (bytes) throws(FileError) in try file.write(bytes, at: end) }
    } catch {
      guard error.isNoSpace else { throw .failed(error) }
      // A part of the block may be in the file, and the next block must not look like its rest.
      try cut(to: end)
      allocatedEnd = allocatedEnd.map { _ in end }
      // The cut has to be synced before the segment is sealed, or that part may come back.
      hasUnsyncedCut = true
      throw .noSpace(error)
    }
    end += Int64(count)
  }

  /// Frees the reserved space, except for some that stays.
  mutating func freeReserve(keeping room: Int64) throws(WriteError) {
    guard let allocated = allocatedEnd, allocated > end + room else { return }
    try cut(to: end + room)
    allocatedEnd = end + room
  }

  /// Truncates the file.
  func cut(to size: Int64) throws(WriteError) {
    do {
      try file.truncate(to: size)
    } catch {
      throw .failed(error)
    }
  }

  /// Reserves space for the next bytes, and more ahead if the disk has it.
  private mutating func reserve(_ count: Int64) throws(FileError) {
    guard let allocated = allocatedEnd, end + count > allocated else { return }
    for wanted in [max(preallocation, count), count] {
      do {
        let isPossible = try file.preallocate(from: end, count: wanted)
        allocatedEnd = isPossible ? end + wanted : nil
        return
      } catch {
        if !error.isNoSpace || wanted == count { throw error }
      }
    }
  }
}
