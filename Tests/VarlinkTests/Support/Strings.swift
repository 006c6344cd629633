/// Returns the message of a call, without spaces.
func call(_ method: String, _ parameters: String = "{}", _ flag: String? = nil) -> String {
  #"{"method":"org.example.test.\#(method)","parameters":\#(parameters)\#(flag.map { ",\"\($0)\":true" } ?? "")}"#
}

func ping(_ text: String) -> String {
  call("Ping", #"{"ping":"\#(text)"}"#)
}

func pong(_ text: String) -> String {
  #"{"parameters":{"pong":"\#(text)"}}"#
}

func invalidParameter(_ name: String) -> String {
  #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(name)"}}"#
}
