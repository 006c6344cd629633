import JSON
import ScrollJSON
import ScrollModel

/// Any text, read as an event. An accepted event is valid, and survives JSON and the log unchanged.
enum EventFuzzing: Fuzzing {
  // Unsafe, but there is only one thread.
  private nonisolated(unsafe) static let parser = JSONParser()

  static func check(_ input: UnsafeRawBufferPointer) throws {
    let event: Event
    do {
      event = try parser.parse(input) { try Event(json: $0) }
    } catch let problem as EventProblem {
      hold(!problem.field.isEmpty || !problem.reason.isEmpty, "a refusal has a reason")
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
