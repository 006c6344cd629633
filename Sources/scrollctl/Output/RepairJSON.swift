import JSON
import ScrollLog
import ScrollModel

/// The JSON form of a repair report.
struct RepairJSON: JSONWritable {
  var report: RepairReport

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("directory", report.directory)
    writer.member("dryRun", report.isDryRun)
    writer.member("strays", report.strays.map(StrayJSON.init))
    writer.member("repaired", ifPresent: report.repair.map(RepairedJSON.init))
    writer.member("sealedRepairs", report.sealedRepairs.map(RepairedJSON.init))
    writer.member("successor", ifPresent: report.successor.map(SuccessorJSON.init))
    writer.member("foreign", report.foreign.map(DamageJSON.init))
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
    writer.member("gaps", repair.gaps.map(GapJSON.init))
    writer.member("endIsLost", repair.isCut)
    writer.member("lostThrough", ifPresent: repair.lostThrough)
    writer.member("lostSessions", repair.lostSessions)
    writer.member("uncertainSessions", repair.uncertainSessions)
    writer.member("records", repair.records)
    writer.member("bytes", repair.bytes)
    writer.member("kept", repair.kept)
    writer.member("generation", ifPresent: repair.generation)
    writer.endObject()
  }
}

struct GapJSON: JSONWritable {
  var gap: ClosedRange<Position>

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("first", gap.lowerBound)
    writer.member("last", gap.upperBound)
    writer.endObject()
  }
}

private struct StrayJSON: JSONWritable {
  var stray: RepairReport.Stray

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", stray.file)
    writer.member("reason", stray.reason)
    writer.member("kept", stray.kept)
    writer.endObject()
  }
}

private struct SuccessorJSON: JSONWritable {
  var successor: RepairReport.Successor

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("after", successor.after)
    writer.member("generation", successor.generation)
    writer.member("sessionsAreUnsure", successor.isUnsure)
    writer.endObject()
  }
}

struct DamageJSON: JSONWritable {
  var damage: LogDamage

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", damage.file)
    writer.member("offset", damage.offset)
    writer.member("reason", damage.reason)
    writer.endObject()
  }
}
