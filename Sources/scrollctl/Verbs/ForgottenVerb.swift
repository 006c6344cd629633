import JSON
import Platform
import ScrollLog
import ScrollModel

extension Verb {
  static let forgotten = Verb(
    name: "forgotten", group: .manage,
    arguments: [Argument(name: "DIR", isRequired: false)],
    summary: "List what was forgotten, without readable names",
    details: [
      "DIR is a state directory or a backup. Without it, the directory is the state directory of the daemon that --system or "
        + "--user selects. A daemon that --socket or $SCROLLD_SOCKET selects is asked for it, for which it must be running and "
        + "you must manage it. Otherwise, it is your own if it exists, else the system's. You need permission to read it. A "
        + "daemon may use it.",
      "The list has the ids of forgotten sessions and keyed hashes of forgotten clients' names, never a name. It grows by one "
        + "entry for each session or client that you forget, and lasts as long as the state directory, even if its log is "
        + "begun again. Save the output of --json away from the machine, like your backups: “restore --list” and “forget "
        + "--from” read it.",
      "The hashes are HMAC-SHA256 with a secret key in the file forgotten.key, which every backup has, too. Without the key, "
        + "nobody can test whether a name is in the list.",
    ],
    examples: [
      Example(arguments: "--json forgotten > list.json", meaning: "Save the list, to apply it to a restored backup.")
    ]
  ) { invocation in
    let directory = try invocation.argument(0) ?? StateDirectory.choose(invocation.command)
    let status = try SystemError.wrapping("examine", directory) { () throws(Errno) in try FileStatus(directory) }
    guard status.kind == .directory else { throw Failure("\(directory) is not a directory") }
    let list = try ForgottenFiles(stateDirectory: directory, fileSystem: POSIXFileSystem()).list()
    guard !list.isEmpty || (try? FileStatus(directory + "/log"))?.kind == .directory else {
      throw Failure(
        "\(directory) has no log of scrolld, nor a backup of one",
        hint: "Name the state directory, which has the directory log.")
    }
    if invocation.wantsJSON {
      for entry in list.sortedSessions { try invocation.output.json(ForgottenSessionJSON(entry: entry)) }
      for entry in list.sortedClients { try invocation.output.json(ForgottenClientJSON(entry: entry)) }
    } else if list.isEmpty {
      try invocation.output.line("\(visible(directory)): nothing was forgotten.")
    } else {
      try invocation.output.lines(table(of: list).lines(invocation.style))
    }
    return .done
  }

  private static func table(of list: ForgottenList) -> TextTable {
    let times = TimeText()
    var rows: [(time: Int64, cells: [String])] = list.sortedSessions.map { entry in
      (entry.time, ["session", "-", "\(entry.id)"])
    }
    rows += list.sortedClients.map { entry in
      (entry.extent.received, ["client", entry.client.user.map(String.init) ?? "all", entry.client.hash])
    }
    var table = TextTable(
      ["FORGOTTEN", "WHAT", "USER", "ID, OR HASH OF THE NAME"].map { TextTable.Column(heading: $0) })
    for row in rows.sorted(by: { $0.time < $1.time }) { table.add([times.date(row.time)] + row.cells) }
    return table
  }
}

/// The JSON form of a forgotten session.
struct ForgottenSessionJSON: JSONWritable {
  var entry: (id: SessionID, time: Int64)

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("session", "\(entry.id)")
    writer.member("time", entry.time)
    writer.endObject()
  }
}

/// The JSON form of a forgotten client.
struct ForgottenClientJSON: JSONWritable {
  var entry: (client: ForgottenList.Client, extent: ForgottenList.Extent)

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("key", entry.client.key)
    writer.member("hash", entry.client.hash)
    writer.member("user", ifPresent: entry.client.user)
    writer.member("received", entry.extent.received)
    let kept = entry.extent.except.map { "\($0)" }.sorted()
    writer.member("except", ifPresent: kept.isEmpty ? nil : kept)
    writer.endObject()
  }
}
