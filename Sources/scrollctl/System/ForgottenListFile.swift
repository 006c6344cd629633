import JSON
import Platform
import ScrollClient
import ScrollLog
import ScrollModel

/// A list of what was forgotten, as “--json forgotten” prints it or as a state directory keeps it.
enum ForgottenListFile {
  /// How many entries a call has, so that its message stays far below the daemon's limit.
  private static let entriesPerCall = 2000

  /// Reads a list; `-` is standard input.
  ///
  /// - Throws: ``Failure`` that names the first bad line; `SystemError`.
  static func read(_ path: String) throws -> ForgottenList {
    let bytes = try TextFile.read(path)
    let name = path == "-" ? "standard input" : path
    let list = try read(bytes, name)
    if list.isEmpty {
      Program.warn(
        "\(name) says that nothing was forgotten" + (bytes.isEmpty ? ": it is empty" : ""),
        hint: "“--json forgotten” prints a list that is empty when its state directory has forgotten nothing.")
    }
    return list
  }

  private static func read(_ bytes: [UInt8], _ name: String) throws -> ForgottenList {
    guard bytes.starts(with: "scrolld-forgotten".utf8) else { return try readJSON(bytes, name) }
    do throws(ForgottenList.BadLine) {
      return try ForgottenList(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Failure("\(name):\(error.line): \(error.reason)")
    }
  }

  private static func readJSON(_ bytes: [UInt8], _ name: String) throws -> ForgottenList {
    let parser = JSONParser()
    var list = ForgottenList()
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do {
        let isEntry = try parser.parse(Array(line)) { add($0, to: &list) }
        if !isEntry {
          throw Failure(
            "\(name):\(index + 1): is no entry of a list: it needs “session” and “time”, or “key”, “hash” and "
              + "“received”")
        }
      } catch let error as JSONError {
        throw Failure("\(name):\(index + 1): is not JSON: \(error)")
      }
    }
    return list
  }

  /// Adds the entry of a line.
  ///
  /// - Returns: Whether it is one.
  private static func add(_ value: JSONValue, to list: inout ForgottenList) -> Bool {
    if let text = value["session"]?.asString, let id = SessionID(text), let time = value["time"]?.asInt64 {
      list.add(id, at: time)
      return true
    }
    guard let key = value["key"]?.asString, let hash = value["hash"]?.asString,
      let received = value["received"]?.asInt64, ForgottenList.isDigits(key, 16), ForgottenList.isDigits(hash, 64)
    else { return false }
    var user: UInt32?
    if let given = value["user"], !given.isNull {
      guard let id = given.asInt64.flatMap({ UInt32(exactly: $0) }) else { return false }
      user = id
    }
    let kept = value["except"]?.asArray?.map { $0.asString.flatMap { SessionID($0) } } ?? []
    if kept.contains(nil) { return false }
    list.add(
      ForgottenList.Client(key: key, hash: hash, user: user),
      ForgottenList.Extent(received: received, except: Set(kept.compactMap { $0 })))
    return true
  }

  /// Returns the list in parts that fit into calls; at least one, so that a daemon that can't be reached is noticed.
  static func calls(_ list: ForgottenList) -> [ForgottenEntries] {
    var calls = [ForgottenEntries()]
    func next() {
      let last = calls[calls.count - 1]
      if last.sessions.count + last.clients.count == entriesPerCall { calls.append(ForgottenEntries()) }
    }
    for (id, time) in list.sortedSessions {
      next()
      calls[calls.count - 1].sessions.append(.init(id: id, time: UnixMicroseconds(time)))
    }
    for (client, extent) in list.sortedClients {
      next()
      calls[calls.count - 1].clients.append(
        .init(
          key: client.key, hash: client.hash, user: client.user, received: UnixMicroseconds(extent.received),
          except: extent.except.sorted { "\($0)" < "\($1)" }))
    }
    return calls
  }

  /// Returns the failure to recognize clients.
  static func failure(missingKeys keys: [String]) -> Failure {
    Failure(
      "the list has hashes of clients' names by keys that are missing here (\(keys.joined(separator: ", "))): these "
        + "clients could not be recognized",
      hint: "The key is in the file forgotten.key of the state directory where they were forgotten, and in its backups."
    )
  }
}
