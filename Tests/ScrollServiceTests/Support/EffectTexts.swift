import Varlink

@testable import ScrollService
@testable import Varlink

extension EffectQueue {
  /// Removes the effects, and returns each as a short text: `wake 3`.
  func takeTexts() -> [String] { take().map(\.text) }
}

extension Effect {
  fileprivate var text: String {
    switch self {
    case .answer(let answer): "answer \(answer.text)"
    case .refuse(let caller, let error): "refuse \(caller.connection): \(error.shortName)"
    case .wake(let id): "wake \(id)"
    case .endStream(let id, let error): "end the stream of \(id): \(error.shortName)"
    case .handOverChanged(let id): "hand-over of \(id) changed"
    }
  }
}

extension Answer {
  /// The connection and the content: `2: done`.
  var text: String { "\(caller.connection): \(content)" }
}

extension VarlinkError {
  /// The error's own name, without its interface.
  var shortName: String { name.split(separator: ".").last.map(String.init) ?? name }
}

extension Caller {
  /// The caller of some call on a connection.
  init(_ connection: ConnectionID, isOneway: Bool = false) {
    self.init(connection: connection, token: CallToken(sequence: 0, isOneway: isOneway, wantsMore: false))
  }
}
