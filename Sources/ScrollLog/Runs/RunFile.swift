/// The file `runs` of a state directory, which keeps ``FollowedRuns``.
///
/// It is replaced in a single rename, and is complete and synced before. Backups don't have it.
public struct RunFile: Sendable {
  static let name = "runs"
  /// No file is larger, in bytes.
  private static let maximumSize: Int64 = 1 << 20

  private let directory: LogDirectory

  init(_ directory: LogDirectory) { self.directory = directory }

  private var path: String { directory.path + "/" + Self.name }

  /// Reads the list, which is empty when the file does not exist or is not a list of runs: then nothing is known.
  ///
  /// - Throws: `FileError` if an existing file can't be read.
  public func runs() throws(FileError) -> FollowedRuns {
    do throws(FileError) {
      let file = try directory.fileSystem.openForReading(path)
      let size = try file.size()
      if size > Self.maximumSize { return FollowedRuns() }
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 1)
      defer { bytes.deallocate() }
      let count = try file.read(at: 0, into: bytes)
      return FollowedRuns(text: String(decoding: bytes[..<count], as: UTF8.self)) ?? FollowedRuns()
    } catch {
      if error.code == .noSuchFile { return FollowedRuns() }
      throw error
    }
  }

  /// Adds a run, and returns once it is on the disk.
  ///
  /// - Throws: `FileError`.
  public func add(_ run: FollowedRuns.Run) throws(FileError) {
    var list = try runs()
    list.add(run)
    try directory.replace(path, with: Array(list.text.utf8))
  }
}
