import JSON
import Platform
import Varlink

/// The client of the certification. It calls the methods in order, checks each reply, and passes it to the next call.
struct CertificationClient {
  /// Unexpected replies of a service.
  struct UnexpectedReplies: Error, CustomStringConvertible {
    let method: String
    let expected: JSONTree
    let got: JSONTree

    var description: String { "\(method): expected \(expected), got \(got)" }
  }

  let socket: ClientSocket

  /// - Throws: `UnexpectedReplies`, or the error of the socket.
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
      parameters = nextParameters(replies)
    }
  }

  /// Receives all replies to the last call.
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
    let expected = step.mode == .oneway ? [] : try step.replies.map { try JSONTree(text: $0) }
    let got = replies.map { JSONTree.object($0.members.filter { $0.key != "client_id" }) }
    guard got == expected else {
      throw UnexpectedReplies(method: step.method, expected: .array(expected), got: .array(got))
    }
  }

  /// Returns the parameters of the next call: the parameters of the reply, or the strings of all replies of a stream.
  private func nextParameters(_ replies: [JSONTree]) -> [String: JSONTree] {
    if replies.count > 1 { return ["last_more_replies": .array(replies.compactMap { $0.members["string"] })] }
    return replies.first?.members ?? [:]
  }
}
