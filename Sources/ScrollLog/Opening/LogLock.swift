/// The lock on a state directory, held for as long as this object lives. It ensures that only one process writes the log.
public final class LogLock: Sendable {
  private let file: any File

  /// Takes the lock.
  ///
  /// - Throws: ``OpenError/locked(path:)`` when another process has it.
  init(_ directory: LogDirectory) throws(OpenError) {
    do throws(FileError) {
      file = try Self.open(directory)
    } catch {
      throw .file(error)
    }
    do throws(FileError) {
      if try file.lock() { return }
    } catch {
      throw .file(error)
    }
    throw .locked(path: directory.lockPath)
  }

  private static func open(_ directory: LogDirectory) throws(FileError) -> any File {
    do {
      return try directory.fileSystem.create(directory.lockPath)
    } catch {
      guard error.code == .fileExists else { throw error }
      return try directory.fileSystem.openForWriting(directory.lockPath)
    }
  }
}
