import Platform

/// The files of a command line, each of which counts once, by whatever names it was given.
struct DistinctFiles {
  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private var names: [Identity: String] = [:]
  private var hasStandardInput = false

  /// Adds a file. One that was given before is reported. A file that does not exist is not the same as any other one.
  ///
  /// - Returns: Whether it was not given before.
  mutating func insert(_ path: String) -> Bool {
    if path == "-" {
      defer { hasStandardInput = true }
      if hasStandardInput { Program.warn("standard input is given twice, and counts once") }
      return !hasStandardInput
    }
    guard let status = try? FileStatus(path) else { return true }
    let identity = Identity(device: status.device, inode: status.inode)
    guard let name = names[identity] else {
      names[identity] = path
      return true
    }
    Program.warn(
      name == path
        ? "“\(path)” is given twice, and counts once" : "“\(path)” is the same file as “\(name)”, and counts once")
    return false
  }
}
