import JSON
import ScrollJSON
import ScrollModel

/// What the extension asks for. A message from the browser is `{"operations":[…]}`, each with its name as `op`.
enum Operation {
  /// Opens a session, or continues it.
  case open(SessionOpening)
  /// Appends events to a session.
  case append(SessionID, EventBatch)
  /// Closes a session.
  case close(SessionID, time: Int64?)
  /// Reports what came of a scroll request.
  case respond(SessionID, request: Int64, done: Bool, reason: String?)
  /// Forgets sessions.
  case forget([SessionID])

  /// Reads an operation.
  ///
  /// - Throws: ``OperationError`` that names the member.
  init(_ json: JSONValue) throws(OperationError) {
    let members = try OperationMembers(json)
    let name = try members.text("op")
    switch name {
    case "open":
      self = .open(
        SessionOpening(
          session: try members.session(), client: try members.text("client").string,
          application: try members.optionalText("application"), title: try members.optionalText("title"),
          time: try members.optionalInt("time")))
    case "append": self = .append(try members.session(), try members.batch())
    case "close": self = .close(try members.session(), time: try members.optionalInt("time"))
    case "respond":
      self = .respond(
        try members.session(), request: try members.int("request"), done: try members.bool("done"),
        reason: try members.optionalText("reason"))
    case "forget": self = .forget(try members.sessions())
    default:
      throw OperationError(
        session: nil, text: "op is “\(name.string)”: it must be open, append, close, respond or forget")
    }
  }
}

/// What is wrong with an operation: the session that it is for, if it names one, and a text for people.
struct OperationError: Error, Equatable {
  var session: SessionID?
  var text: String
}

/// The members of an operation, read by name.
private struct OperationMembers {
  let object: JSONObject

  init(_ json: JSONValue) throws(OperationError) {
    guard let object = json.asObject else {
      throw OperationError(session: nil, text: "an operation must be an object")
    }
    self.object = object
  }

  private var namedSession: SessionID? {
    guard let digits = object["session"]?.asText else { return nil }
    return SessionID(digits: digits.bytes)
  }

  private func problem(_ text: String) -> OperationError { OperationError(session: namedSession, text: text) }

  func session() throws(OperationError) -> SessionID {
    guard let session = namedSession else { throw problem("session must be 32 hexadecimal digits") }
    return session
  }

  func sessions() throws(OperationError) -> [SessionID] {
    guard let array = object["sessions"]?.asArray else { throw problem("sessions must be an array of ids") }
    var sessions: [SessionID] = []
    for element in array {
      guard let session = element.asText.flatMap({ SessionID(digits: $0.bytes) }) else {
        throw problem("sessions[\(sessions.count)] must be 32 hexadecimal digits")
      }
      sessions.append(session)
    }
    return sessions
  }

  func text(_ name: StaticString) throws(OperationError) -> JSONText {
    guard let text = object[name]?.asText else { throw problem("\(name) must be a string") }
    return text
  }

  func optionalText(_ name: StaticString) throws(OperationError) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    return try text(name).string
  }

  func int(_ name: StaticString) throws(OperationError) -> Int64 {
    guard let number = object[name]?.asInt64 else { throw problem("\(name) must be an integer") }
    return number
  }

  func optionalInt(_ name: StaticString) throws(OperationError) -> Int64? {
    guard let value = object[name], !value.isNull else { return nil }
    return try int(name)
  }

  func bool(_ name: StaticString) throws(OperationError) -> Bool {
    guard let flag = object[name]?.asBool else { throw problem("\(name) must be true or false") }
    return flag
  }

  func batch() throws(OperationError) -> EventBatch {
    let number = try int("number")
    guard number > 0 else { throw problem("number is \(number): events are numbered from 1") }
    guard let array = object["events"]?.asArray, array.count > 0 else {
      throw problem("events must be an array of at least one event")
    }
    guard array.count <= EventBatch.maximumCount else {
      throw problem("\(array.count) events in a batch: at most \(EventBatch.maximumCount) are allowed")
    }
    var writer = JSONWriter()
    writer.beginArray()
    var index = 0
    for element in array {
      do throws(EventProblem) { try Event(json: element).write(to: &writer) } catch {
        throw problem("events[\(index)]: \(error.field) \(error.reason)")
      }
      index += 1
    }
    writer.endArray()
    return EventBatch(number: number, count: array.count, json: writer.bytes)
  }
}
