import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct InterfaceTests {
  private static let interfaces: [InterfaceDescription] = ServiceInterfaces.texts.compactMap {
    try? InterfaceDescription($0)
  }
  private static let methods = interfaces.flatMap { interface in
    interface.methods.map { "\(interface.name).\($0.name)" }
  }

  @Test func everyInterfaceTextIsParsed() {
    let names = ["Recorder", "Observer", "Manager", "Relay"]
    #expect(Self.interfaces.map(\.name) == names.map { "org.scrolld.\($0)" })
  }

  @Test(arguments: methods)
  func everyDescribedMethodExistsAndChecksItsParameters(method: String) throws {
    let daemon = try TestDaemon()
    let call = try daemon.connect(user: 0).stream(method)
    if let error = call.error {
      #expect(error.name == "InvalidParameter", "\(error)")
    } else {
      #expect(!call.replies.isEmpty)
    }
  }

  @Test(arguments: methods)
  func anUndescribedParameterIsRefused(method: String) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: 0)
    let session = try client.call("Open", ["client": "reader"])["session"]
    var parameters: JSONTree = ["unheardOf": 1]
    let required: [String: JSONTree] = [
      "client": "reader", "session": session, "events": [Gestures.layout], "request": 1, "done": true, "target": "top",
      "sessions": [], "clients": [],
    ]
    for interface in Self.interfaces {
      for described in interface.methods where "\(interface.name).\(described.name)" == method {
        for field in described.parameters where !field.isOptional { parameters[field.name] = required[field.name] ?? 1 }
      }
    }
    let call = client.stream(method, parameters)
    #expect(call.error == CallError("InvalidParameter", ["parameter": "unheardOf"]))
    #expect(daemon.service.lastPosition == 1)
  }

  /// A value of a declared type. Where the code expects more than the text says, the name decides.
  private static func value(of field: InterfaceField, _ interface: InterfaceDescription, session: JSONTree) -> JSONTree
  {
    let special: [String: JSONTree] = ["session": session, "client": "reader", "events": [Gestures.layout], "after": 0]
    return special[field.name] ?? value(of: field.type, interface)
  }

  private static func value(of type: InterfaceType, _ interface: InterfaceDescription) -> JSONTree {
    switch type {
    case .bool: true
    case .int, .float: 1
    case .string: "a"
    case .any, .object, .map, .structure: [:]
    case .array: []
    case .enumeration(let names): .string(names.first ?? "")
    case .optional(let type): value(of: type, interface)
    case .named(let name): interface.type(name).map { value(of: $0.type, interface) } ?? [:]
    }
  }

  @Test(arguments: methods)
  func everyDescribedParameterIsAcceptedWithItsTypeOnly(method: String) throws {
    for interface in Self.interfaces {
      for described in interface.methods where "\(interface.name).\(described.name)" == method {
        for field in described.parameters {
          let daemon = try TestDaemon()
          let client = try daemon.connect(user: 0)
          let session = try client.call("Open", ["client": "reader"])["session"]
          var parameters: JSONTree = [:]
          for other in described.parameters where !other.isOptional || other.name == field.name {
            parameters[other.name] = Self.value(of: other, interface, session: session)
          }
          // Each target has parameters of its own.
          if method == "org.scrolld.Observer.Scroll", field.name == "page" { parameters["target"] = "page" }
          if method == "org.scrolld.Observer.Scroll", ["x", "y"].contains(field.name) {
            for (name, value) in ["target": "offset", "x": 1, "y": 1] as [String: JSONTree] { parameters[name] = value }
          }
          if method == "org.scrolld.Manager.Import", ["rule", "parameters"].contains(field.name) {
            for (name, value) in ["policy": "own", "rule": "safari"] as [String: JSONTree] { parameters[name] = value }
          }
          let refused = CallError("InvalidParameter", ["parameter": .string(field.name)])
          #expect(client.stream(method, parameters).error != refused, "\(field.name) with its type")
          parameters[field.name] = ["of": "another type"]
          #expect(
            try daemon.connect(user: 0).stream(method, parameters).error == refused, "\(field.name) with another type")
        }
      }
    }
  }

  @Test func theDescribedEventsHaveTheFieldsOfTheModel() throws {
    let recorder = try #require(Self.interfaces.first { $0.name == "org.scrolld.Recorder" })
    guard case .structure(let fields) = try #require(recorder.type("Event")).type else {
      Issue.record("Event is not a structure")
      return
    }
    #expect(Set(fields.map(\.name)) == Set(["kind", "time"] + Event.Field.allCases.map { "\($0.name)" }))
    #expect(fields.filter { !$0.isOptional }.map(\.name) == ["kind", "time"])
  }

  @Test(arguments: ["List", "Subscribe", "Read", "Requests"])
  func aStreamingMethodExpectsMore(method: String) throws {
    let client = try TestDaemon().connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    #expect(throws: CallError("ExpectedMore")) {
      try client.call(method, method == "Requests" ? ["session": session] : [:])
    }
  }

  @Test(arguments: ["List", "Subscribe", "Read", "Requests"])
  func aStreamingMethodCannotBeCalledOneway(method: String) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let session = try client.call("Open", ["client": "reader"])["session"]
    client.oneway(method, method == "Requests" ? ["session": session] : [:])
    #expect(try client.call("Get", ["client": "reader"])["state"] != .null)
    #expect(daemon.service.subscriptions.count == 0)
  }

  @Test func aMethodWithOneAnswerSendsOneEvenWithMore() throws {
    let client = try TestDaemon().connect()
    let open = client.stream("Open", ["client": "reader"])
    #expect(open.hasEnded && open.replies.count == 1)
    let append = client.stream("Append", ["session": open.replies[0]["session"], "events": [Gestures.layout]])
    #expect(append.hasEnded && append.replies.count == 1)
    #expect(client.stream("Get", ["client": "reader"]).hasEnded)
  }

  @Test func everyRecorderMethodButRequestsWorksOneway() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let listener = try daemon.connect()
    let session = JSONTree.string(String(repeating: "b", count: 32))
    client.oneway("Open", ["client": "reader", "session": session])
    client.oneway("Append", ["session": session, "events": .array(Gestures.flips(2))])
    _ = listener.stream("Requests", ["session": session])
    client.oneway("Scroll", ["client": "reader", "target": "top"])
    client.oneway("Respond", ["session": session, "request": 4, "done": true])
    client.oneway("Close", ["session": session])
    let kinds = client.stream("Read").values("record").map { $0["kind"] }
    #expect(kinds == ["open", "layout", "scroll", "request", "response", "close"])
    #expect(daemon.service.connections.counters.onewayCallsRefused == 0)
  }

  @Test func unknownMethodsAndInterfacesHaveDifferentErrors() throws {
    let client = try TestDaemon().connect()
    #expect(throws: CallError("MethodNotFound", ["method": "org.scrolld.Recorder.Nonsense"])) {
      try client.call("org.scrolld.Recorder.Nonsense")
    }
    #expect(throws: CallError("InterfaceNotFound", ["interface": "org.example"])) {
      try client.call("org.example.Nonsense")
    }
  }
}
