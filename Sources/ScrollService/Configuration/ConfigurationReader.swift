// From files to a configuration: which files, in which order, and what each line sets.

import Glibc
import ScrollModel

/// Reads configuration files and makes one configuration of them.
///
/// As systemd does it: the main file is the first that exists in the search path; then come drop-ins, `*.conf` in
/// `scrolld.conf.d` of every directory of the search path, sorted by their names whichever directory they are in. Of two
/// with one name the earlier directory's is read, and one that is empty or a link to `/dev/null` so masks the later.
/// Later assignments win; an empty one puts the default back.
public struct ConfigurationReader {
  /// The directories that may hold `scrolld.conf` and `scrolld.conf.d`, the first that has a file wins.
  public var searchPath: [String]
  /// The main file's path; `nil` to look for `scrolld.conf` in the search path.
  public var mainFile: String?

  /// The search path of a system's daemon.
  public static let systemSearchPath = ["/etc/scrolld", "/run/scrolld", "/usr/local/lib/scrolld", "/usr/lib/scrolld"]

  /// Reads from a search path.
  public init(searchPath: [String]) {
    self.searchPath = searchPath
  }

  /// Reads one file that must exist, and the drop-ins in the directory of its name with `.d`.
  public init(file: String) {
    searchPath = []
    mainFile = file
  }

  /// Reads the files and makes the configuration.
  ///
  /// - Throws: ``ConfigurationError`` that names file, line and key of what is wrong.
  public func read() throws(ConfigurationError) -> Configuration {
    var builder = ConfigurationBuilder()
    for path in try paths() {
      let text: [UInt8]?
      do { text = try TextFile.readRegular(path) } catch { throw ConfigurationError(file: path, reason: error.message) }
      guard let text else {
        throw ConfigurationError(file: path, reason: "is no regular file: it must be one, or a link to /dev/null")
      }
      try builder.add(ConfigurationFile(path: path, text: text))
    }
    return try builder.finish()
  }

  /// The files that are read, in order.
  ///
  /// - Throws: ``ConfigurationError`` when a directory of drop-ins can't be read.
  public func paths() throws(ConfigurationError) -> [String] {
    var paths: [String] = []
    var dropInDirectories: [String]
    if let mainFile {
      paths.append(mainFile)
      dropInDirectories = [mainFile + ".d"]
    } else {
      if let main = searchPath.map({ $0 + "/scrolld.conf" }).first(where: Self.exists) { paths.append(main) }
      dropInDirectories = searchPath.map { $0 + "/scrolld.conf.d" }
    }
    var dropIns: [String: String] = [:]
    for directory in dropInDirectories {
      let names: [String]
      do {
        names = try TextFile.names(inDirectory: directory)
      } catch {
        throw ConfigurationError(file: directory, reason: error.message)
      }
      for name in names where name.hasSuffix(".conf") && dropIns[name] == nil {
        dropIns[name] = directory + "/" + name
      }
    }
    let names = dropIns.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return paths + names.compactMap { dropIns[$0] }
  }

  private static func exists(_ path: String) -> Bool {
    // One that is there and can't be read is an error, not a reason to read another one.
    var status = stat()
    return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }
}
