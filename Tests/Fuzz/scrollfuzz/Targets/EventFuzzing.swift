// One event in JSON.

import JSON
import ScrollJSON
import ScrollModel

/// Reads any text as an event. One that is taken is valid, and comes back the same from JSON and from the log.
enum EventFuzzing: Fuzzing {
  // Unsafe, but there is one thread.
  private nonisolated(unsafe) static let parser = JSONParser()

  static func check(_ input: UnsafeRawBufferPointer) throws {
    let event: Event
    do {
      event = try parser.parse(input) { try Event(json: $0) }
    } catch let problem as EventProblem {
      hold(!problem.field.isEmpty || !problem.reason.isEmpty, "a refusal says why")
      return
    } catch let error as JSONError {
      hold(error.offset.map { (0...input.count).contains($0) } ?? true, "\(error) lies within \(input.count) bytes")
      return
    }
    try event.validate()
    let text = JSONWriter.encode { event.write(to: &$0) }
    let again = try parser.parse(text) { try Event(json: $0) }
    hold(again == event, "the same from JSON: \(event), then \(again)")
    hold(try LoggedEvent.comesBack(event), "the same from the log: \(event)")
  }
}
