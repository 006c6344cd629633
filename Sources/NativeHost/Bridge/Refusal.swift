import JSON
import Varlink

/// What an error of the daemon means for a session.
enum Refusal: Equatable {
  /// The session is over. The page begins another one.
  case ended(reason: String)
  /// The daemon may accept the session later.
  case postponed(text: String)

  init(_ error: VarlinkError) {
    switch error.name {
    case "org.scrolld.Recorder.SessionClosed": self = .ended(reason: "closed")
    case "org.scrolld.Recorder.NoSuchSession": self = .ended(reason: "unknown")
    case "org.scrolld.Recorder.NumberGap": self = .ended(reason: "gap")
    case "org.scrolld.Recorder.InvalidEvent", "org.scrolld.Recorder.InvalidClient",
      "org.scrolld.Recorder.TextTooLong":
      self = .ended(reason: "invalid: \(Self.text(error))")
    default: self = .postponed(text: Self.text(error))
    }
  }

  /// The error for people: the last part of its name, and its parameters.
  static func text(_ error: VarlinkError) -> String {
    let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
    let parameters = String(decoding: error.parameters, as: UTF8.self)
    return parameters.isEmpty || parameters == "{}" ? name : "\(name) \(parameters)"
  }
}
