import Platform
import ScrollModel

/// A reader of the configuration files.
///
/// Precedence is as in systemd. The main file is the first that exists in the search path. It is followed by the drop-ins,
/// `*.conf` in the `scrolld.conf.d` of every directory in the search path, sorted by file name regardless of the directory. Of
/// drop-ins with the same name only the one in the earliest directory is read, so an empty file or a link to `/dev/null` masks
/// later ones. Later assignments override earlier ones, and an empty assignment restores the default.
public struct ConfigurationReader {
  /// The directories to search for `scrolld.conf` and `scrolld.conf.d`, in order of precedence.
  public var searchPath: [String]
  /// The path of the main file; `nil` to search for `scrolld.conf`.
  public var mainFile: String?
  /// The name of the files without `.conf`.
  package var name = "scrolld"

  /// The search path of the system service.
  public static let systemSearchPath = ["/etc/scrolld", "/run/scrolld", "/usr/local/lib/scrolld", "/usr/lib/scrolld"]

  /// Creates a reader for a search path.
  public init(searchPath: [String]) {
    self.searchPath = searchPath
  }

  /// Creates a reader for one file, which must exist, and the drop-ins in the directory of the same name with `.d`.
  public init(file: String) {
    searchPath = []
    mainFile = file
  }

  /// Reads the files and returns the configuration.
  ///
  /// - Throws: ``ConfigurationError`` with the file, line and key of the first error.
  public func read() throws(ConfigurationError) -> Configuration {
    var builder = ConfigurationBuilder()
    try forEachFile { file throws(ConfigurationError) in try builder.add(file) }
    return try builder.finish()
  }

  /// Reads the files and returns the configuration.
  ///
  /// - Parameter check: The command that lists all errors.
  /// - Throws: ``ConfigurationError`` with the first error in the order of the files, and the number of others.
  func read(checkedBy check: String) throws(ConfigurationError) -> Configuration {
    do throws(ConfigurationError) {
      return try read()
    } catch {
      if error.isPermissionDenied { throw error }
      // Reading ends at the first error that it finds, which need not be the first one of the files.
      let problems = self.check().problems
      var first = problems.first ?? error
      first.others = max(0, problems.count - 1)
      first.check = check
      throw first
    }
  }

  /// Reads and parses the files, in order, and passes each to a closure.
  ///
  /// - Throws: ``ConfigurationError`` with the file and line of the first error.
  package func forEachFile(_ body: (ConfigurationFile) throws(ConfigurationError) -> Void) throws(ConfigurationError) {
    for path in try paths() { try body(ConfigurationFile(path: path, text: text(of: path))) }
  }

  /// Reads the files and reports everything that is wrong in them.
  ///
  /// - Returns: The configuration without what is wrong, and the errors in the order of the files.
  public func check() -> (configuration: Configuration, problems: [ConfigurationError]) {
    var builder = ConfigurationBuilder()
    var problems: [ConfigurationError] = []
    do throws(ConfigurationError) {
      for path in try paths() {
        do throws(ConfigurationError) {
          let file = ConfigurationFile(path: path, text: try text(of: path), problems: &problems)
          builder.add(file, problems: &problems)
        } catch {
          problems.append(error)
        }
      }
    } catch {
      problems.append(error)
    }
    let configuration = builder.finish(problems: &problems)
    let places = Dictionary(problems.map { ($0.file, 0) }) { first, _ in first }
    let order = ((try? paths()) ?? Array(places.keys).sorted()).enumerated().map { ($0.element, $0.offset) }
    let ranks = Dictionary(order) { first, _ in first }
    problems.sort {
      (ranks[$0.file] ?? .max, $0.line ?? 0) < (ranks[$1.file] ?? .max, $1.line ?? 0)
    }
    return (configuration, problems)
  }

  private func text(of path: String) throws(ConfigurationError) -> [UInt8] {
    let text: [UInt8]?
    do { text = try TextFile.readRegular(path) } catch {
      throw ConfigurationError(file: path, error.errno)
    }
    guard let text else {
      throw ConfigurationError(file: path, reason: "not a regular file or a link to /dev/null")
    }
    return text
  }

  /// Returns the paths of the files to read, in order.
  ///
  /// - Throws: ``ConfigurationError`` if a directory of drop-ins can't be read.
  public func paths() throws(ConfigurationError) -> [String] {
    var paths: [String] = []
    var dropInDirectories: [String]
    if let mainFile {
      paths.append(mainFile)
      dropInDirectories = [mainFile + ".d"]
    } else {
      if let main = searchPath.map({ "\($0)/\(name).conf" }).first(where: Self.exists) { paths.append(main) }
      dropInDirectories = searchPath.map { "\($0)/\(name).conf.d" }
    }
    var dropIns: [String: String] = [:]
    for directory in dropInDirectories {
      let names: [String]
      do { names = try Directory.names(in: directory) } catch {
        if error == .noSuchFile || error == .notDirectory { continue }
        throw ConfigurationError(file: directory, error)
      }
      for name in names where name.hasSuffix(".conf") && dropIns[name] == nil {
        dropIns[name] = directory + "/" + name
      }
    }
    let names = dropIns.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return paths + names.compactMap { dropIns[$0] }
  }

  private static func exists(_ path: String) -> Bool {
    // A file that exists but can't be read is an error, not a reason to read another file.
    do throws(Errno) {
      _ = try FileStatus(path)
      return true
    } catch {
      return error != .noSuchFile && error != .notDirectory
    }
  }
}
