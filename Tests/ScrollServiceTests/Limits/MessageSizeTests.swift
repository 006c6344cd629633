import JSON
import ScrollJSON
import ScrollModel
import Testing

@testable import ScrollService

@Suite struct MessageSizeTests {
  /// The size of an `Append` of so many events, each with all fields of its kind and as many digits as a length in points has.
  private func size(of count: Int, _ kind: Event.Kind) -> Int {
    var event = Event(kind, time: 1_796_000_000_000_000)
    for field in Event.Field.allCases where kind.allowedFields.contains(Event.FieldSet(field)) {
      switch field.valueType {
      case .flag: event[flag: field] = false
      case .source: event.source = .program
      case .number(.length): event[number: field] = -98765.333333333329
      case .number: event[number: field] = 98765.333333333329
      }
    }
    return JSONWriter.encode { writer in
      writer.beginObject()
      writer.member("method", "org.scrolld.Recorder.Append")
      writer.key("parameters")
      writer.beginObject()
      writer.member("session", "0123456789abcdef0123456789abcdef")
      writer.member("number", Int64.max)
      writer.member("events", [Event](repeating: event, count: count))
      writer.endObject()
      writer.endObject()
    }.count
  }

  /// The manual promises both numbers.
  @Test(arguments: Event.Kind.allCases) func theMostEventsOfACallFitIntoTheLargestMessage(kind: Event.Kind) {
    let count = kind == .layout ? 2000 : 4096
    let size = size(of: count, kind)
    #expect(size <= Configuration().maximumMessageSize, "\(kind): \(size / count) bytes for each event")
  }
}
