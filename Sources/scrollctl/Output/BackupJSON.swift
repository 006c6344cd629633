import JSON
import ScrollLog

/// The JSON form of a backup report.
struct BackupJSON: JSONWritable {
  var report: BackupReport

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("directory", report.directory)
    writer.member("records", report.records)
    writer.member("firstPosition", report.firstPosition)
    writer.member("lastPosition", report.lastPosition)
    writer.member("generation", report.generation)
    writer.member("bytes", report.bytes)
    writer.member("segments", report.segments.map { SegmentJSON(segment: $0) })
    writer.endObject()
  }
}
