import JSON
import Varlink

/// A call of the certification, with its parameters and its replies.
struct CertificationStep {
  let method: String
  let mode: CallMode
  /// The parameters of the call as JSON, without `client_id`.
  let parameters: String
  /// The parameters of each reply as JSON, without the `client_id` of `Start`.
  let replies: [String]

  init(_ method: String, _ mode: CallMode = .once, _ parameters: String = "{}", replies: [String]) {
    self.method = method
    self.mode = mode
    self.parameters = parameters
    self.replies = replies
  }

  var fullName: String { "org.varlink.certification.\(method)" }

  /// All calls in order. The reply of each has the parameters of the next.
  static let all: [CertificationStep] = [
    CertificationStep("Start", replies: ["{}"]),
    CertificationStep("Test01", replies: [#"{"bool":true}"#]),
    CertificationStep("Test02", .once, #"{"bool":true}"#, replies: [#"{"int":1}"#]),
    CertificationStep("Test03", .once, #"{"int":1}"#, replies: [#"{"float":1.0}"#]),
    CertificationStep("Test04", .once, #"{"float":1.0}"#, replies: [#"{"string":"ping"}"#]),
    CertificationStep("Test05", .once, #"{"string":"ping"}"#, replies: [scalars]),
    CertificationStep("Test06", .once, scalars, replies: [#"{"struct":\#(scalars)}"#]),
    CertificationStep("Test07", .once, #"{"struct":\#(scalars)}"#, replies: [map]),
    CertificationStep("Test08", .once, map, replies: [set]),
    CertificationStep("Test09", .once, set, replies: [#"{"mytype":\#(myType)}"#]),
    CertificationStep(
      "Test10", .more, #"{"mytype":\#(myType)}"#, replies: (1...10).map { #"{"string":"Reply number \#($0)"}"# }),
    CertificationStep("Test11", .oneway, #"{"last_more_replies":[\#(lastReplies)]}"#, replies: ["{}"]),
    CertificationStep("End", replies: [#"{"all_ok":true}"#]),
  ]

  private static let scalars = #"{"bool":false,"int":2,"float":3.141592653589793,"string":"a lot of string"}"#
  private static let map = #"{"map":{"foo":"Foo","bar":"Bar"}}"#
  private static let set = #"{"set":{"one":{},"two":{},"three":{}}}"#
  private static let lastReplies = (1...10).map { "\"Reply number \($0)\"" }.joined(separator: ",")
  private static let myType = """
    {"object":{"method":"org.varlink.certification.Test09","parameters":\(map)},"enum":"two",\
    "struct":{"first":1,"second":"2"},"array":["one","two","three"],"dictionary":{"foo":"Foo","bar":"Bar"},\
    "stringset":{"one":{},"two":{},"three":{}},"interface":{"foo":[null,{"foo":"foo","bar":"bar"},null,\
    {"one":"foo","two":"bar"}],"anon":{"foo":true,"bar":false}}}
    """
}
