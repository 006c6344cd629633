import JSON
import Varlink

/// The service of the certification. Any number of clients can call it, each in the order of the steps.
final class CertificationService {
  private let service: VarlinkService
  /// The index of the next step of each client, by client ID.
  private var next: [String: Int] = [:]

  init() throws {
    let text = String(decoding: PackageResources.org_varlink_certification_varlink, as: UTF8.self)
    service = try VarlinkService(
      vendor: "scrolld", product: "Varlink certification", version: "1", url: "https://varlink.org",
      interfaces: [InterfaceDescription(text)])
  }

  /// Replies to one call on `connection`.
  func answer(_ call: Call, on connection: ServerConnection) throws(VarlinkError) -> NextCall {
    guard let method = try service.route(call, on: connection) else { return .mayFollow }
    if method.description.name == "Start" {
      try call.parameters().finish()
      let id = String(UInt64.random(in: .min ... .max), radix: 16)
      next[id] = 1
      connection.reply(call.token) { $0.member("client_id", id) }
      return .mayFollow
    }
    var parameters = call.parameters()
    let id = try parameters.string("client_id")
    guard let index = next[id] else { throw VarlinkError("org.varlink.certification.ClientIdError") }
    let step = CertificationStep.all[index]
    guard step.method == method.description.name else { throw VarlinkError("org.varlink.certification.ClientIdError") }
    try check(call, step, id)
    next[id] = index + 1 < CertificationStep.all.count ? index + 1 : nil

    for (index, reply) in step.replies.enumerated() {
      let continues = index + 1 < step.replies.count
      Array(reply.utf8).withUnsafeBytes { _ = connection.reply(call.token, continues: continues, encoded: $0) }
    }
    return .mayFollow
  }

  private func check(_ call: Call, _ step: CertificationStep, _ id: String) throws(VarlinkError) {
    if step.mode == .more { try call.requireMore() }
    var expected: [String: JSONTree] = [:]
    do { expected = try JSONTree(text: step.parameters).members } catch { throw .methodNotImplemented("\(error)") }
    expected["client_id"] = .string(id)
    let got = JSONTree(call.parameterObject)
    guard got == .object(expected), call.isOneway == (step.mode == .oneway) else {
      next[id] = nil
      throw VarlinkError("org.varlink.certification.CertificationError") {
        $0.member("wants", JSONTree.object(expected))
        $0.member("got", got)
      }
    }
  }
}
