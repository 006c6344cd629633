// The client's side of the certification.

import JSON
import Platform
import Varlink

/// Calls every method in its order, passing on what was answered, and checks every answer.
struct CertificationClient {
  /// What a service answered that it must not.
  struct WrongAnswer: Error, CustomStringConvertible {
    let method: String
    let wanted: JSONTree
    let got: JSONTree

    var description: String { "\(method): wanted \(wanted), got \(got)" }
  }

  let socket: ClientSocket

  /// - Throws: `WrongAnswer`, or what the socket throws.
  func run() throws {
    var clientID = JSONTree.null
    var parameters: [String: JSONTree] = [:]
    for step in CertificationStep.all {
      if step.method != "Start" { parameters["client_id"] = clientID }
      try socket.send(step.fullName, step.mode) { writer in
        for (name, value) in parameters {
          writer.key(string: name)
          value.write(to: &writer)
        }
      }
      let replies = step.mode == .oneway ? [] : try receiveReplies()
      if step.method == "Start" { clientID = replies.first?.members["client_id"] ?? .null }
      try check(replies, step)
      parameters = passedOn(replies)
    }
  }

  /// Every reply to the call that was made last, without the `client_id`s that strayed into them.
  private func receiveReplies() throws -> [JSONTree] {
    var replies: [JSONTree] = []
    var continues = true
    while continues {
      let reply = try socket.nextReply(timeout: .seconds(60)) { reply in
        if let error = reply.error { throw error }
        continues = reply.continues
        return JSONTree(reply.parameterObject)
      }
      guard let reply else { throw SocketError.failed(doing: "waiting for", address: "a reply", .timedOut) }
      replies.append(reply)
    }
    return replies
  }

  private func check(_ replies: [JSONTree], _ step: CertificationStep) throws {
    let wanted = step.mode == .oneway ? [] : try step.replies.map { try JSONTree(text: $0) }
    let got = replies.map { JSONTree.object($0.members.filter { $0.key != "client_id" }) }
    guard got == wanted else { throw WrongAnswer(method: step.method, wanted: .array(wanted), got: .array(got)) }
  }

  /// The parameters that the next call gets: those of the reply, or of a stream the strings of all replies.
  private func passedOn(_ replies: [JSONTree]) -> [String: JSONTree] {
    if replies.count > 1 { return ["last_more_replies": .array(replies.compactMap { $0.members["string"] })] }
    return replies.first?.members ?? [:]
  }
}
