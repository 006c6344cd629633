import JSON
import ScrollLog

/// The JSON form of a segment's check.
struct SegmentJSON: JSONWritable {
  var segment: SegmentVerification

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", segment.file)
    writer.member("blocks", segment.blocks)
    writer.member("records", segment.records)
    writer.member("firstPosition", segment.firstPosition)
    // A file without records ends before it begins.
    writer.member("lastPosition", ifPresent: segment.records == 0 ? nil : segment.lastPosition)
    writer.member("packed", segment.isPacked)
    writer.member("checkpointSessions", segment.checkpointSessions)
    if segment.isGapRepaired, let gap = segment.gap {
      writer.key("repairedGap")
      writer.beginObject()
      writer.member("first", gap.lowerBound)
      writer.member("last", gap.upperBound)
      writer.endObject()
    }
    writer.member("problems", segment.problems.map(ProblemJSON.init))
    writer.member("unfinished", ifPresent: segment.unfinished.map(ProblemJSON.init))
    writer.endObject()
  }
}

/// The JSON form of files that a log or backup lacks.
struct MissingJSON: JSONWritable {
  var missing: MissingSegments

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", missing.file)
    writer.member("firstPosition", missing.firstPosition)
    writer.member("lastPosition", ifPresent: missing.lastPosition)
    writer.endObject()
  }
}

/// The JSON form of a problem at an offset of a file.
private struct ProblemJSON: JSONWritable {
  var problem: SegmentVerification.Problem

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("offset", problem.offset)
    writer.member("reason", problem.reason)
    writer.endObject()
  }
}
