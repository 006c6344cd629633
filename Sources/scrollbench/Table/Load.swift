import JSON
import Platform
import ScrollJSON
import ScrollModel

/// Messages that append events of the shipped recordings. All messages differ: with each pass over the recordings, the
/// times are later.
struct Load {
  private let events: [Event]
  /// How much later each pass is, in microseconds.
  private let span: Int64

  /// Reads the recordings of a directory.
  init(recordings: String) throws {
    var events: [Event] = []
    for name in try Directory.names(in: recordings).sorted() where name.hasSuffix(".ndjson") {
      for (_, line) in try RecordingReader.read(TextFile.read(recordings + "/" + name)) {
        if case .event(let event) = line { events.append(event) }
      }
    }
    guard !events.isEmpty else { throw Arguments.Problem("no recordings with events in “\(recordings)”") }
    self.events = events
    let times = events.map(\.time)
    span = (times.max() ?? 0) - (times.min() ?? 0) + 1_000_000
  }

  /// Returns an event by its place in an endless sequence.
  func event(_ index: Int) -> Event {
    var event = events[index % events.count]
    event.time += Int64(index / events.count) * span
    return event
  }

  /// Adds an `Append` of some events to a text.
  ///
  /// - Parameter events: The numbers of the events in their session, from 1.
  func addAppend(of events: ClosedRange<Int>, to session: String, isOneway: Bool, _ text: inout ByteBuffer) {
    Self.addAppend(events.map { event($0 - 1) }, from: events.lowerBound, to: session, isOneway: isOneway, &text)
  }

  /// Adds an `Append` of events to a text.
  static func addAppend(
    _ events: [Event], from number: Int, to session: String, isOneway: Bool, _ text: inout ByteBuffer
  ) {
    text.appendJSON { writer in
      writer.beginObject()
      writer.member("method", "org.scrolld.Recorder.Append")
      writer.key("parameters")
      writer.beginObject()
      writer.member("session", session)
      writer.member("number", Int64(number))
      writer.key("events")
      events.write(to: &writer)
      writer.endObject()
      if isOneway { writer.member("oneway", true) }
      writer.endObject()
    }
    text.append(0)
  }

  /// Adds a Redis command that appends an event to a list.
  func addPush(of number: Int, to key: String, _ text: inout ByteBuffer) {
    let event = event(number - 1)
    let json = JSONWriter.encode { event.write(to: &$0) }
    text.append(Array("*3\r\n$5\r\nRPUSH\r\n$\(key.utf8.count)\r\n\(key)\r\n$\(json.count)\r\n".utf8))
    text.append(json)
    text.append("\r\n")
  }
}
