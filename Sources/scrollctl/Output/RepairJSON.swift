import JSON
import ScrollLog

/// The JSON form of a repair report.
struct RepairJSON: JSONWritable {
  var report: RepairReport

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("directory", report.directory)
    writer.member("dryRun", report.isDryRun)
    writer.member("repaired", ifPresent: report.repair.map(RepairedJSON.init))
    writer.member("sealedDamage", report.sealedDamage.map(DamageJSON.init))
    writer.member("derivedDamage", report.derivedDamage.map(DamageJSON.init))
    writer.endObject()
  }
}

private struct RepairedJSON: JSONWritable {
  var repair: RepairReport.Repair

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("damage", DamageJSON(damage: repair.damage))
    writer.member("head", repair.head.rawValue)
    writer.member("keptThrough", repair.keptThrough)
    writer.member("lostThrough", ifPresent: repair.lostThrough)
    writer.member("lostSessions", repair.lostSessions)
    writer.member("bytes", repair.bytes)
    writer.member("kept", repair.kept)
    writer.member("generation", ifPresent: repair.generation)
    writer.endObject()
  }
}

private struct DamageJSON: JSONWritable {
  var damage: LogDamage

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", damage.file)
    writer.member("offset", damage.offset)
    writer.member("reason", damage.reason)
    writer.endObject()
  }
}
