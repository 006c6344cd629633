import ScrollClient
import Testing

@Suite("Addresses")
struct ServiceAddressTests {
  @Test("The default is $SCROLLD_SOCKET, then the user's socket if it exists, then the system's")
  func standard() {
    func standard(_ variables: [String: String], there: Set<String> = []) -> String {
      ServiceAddress.standard(environment: { variables[$0] }, exists: there.contains).path
    }
    let run = "/run/user/1000/scrolld/socket"
    #expect(standard([:]) == "/run/scrolld/socket")
    #expect(standard(["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/run/scrolld/socket")
    #expect(standard(["XDG_RUNTIME_DIR": "/run/user/1000"], there: [run]) == run)
    #expect(standard(["XDG_RUNTIME_DIR": "/run/user/1000", "SCROLLD_SOCKET": "/s"], there: [run]) == "/s")
    #expect(standard(["SCROLLD_SOCKET": ""]) == "/run/scrolld/socket")
  }

  @Test("A failed connection names the path and the reason")
  func refused() throws {
    #expect(throws: ServiceError.cannotConnect(ServiceAddress("/nowhere/socket"), code: 2)) {
      try ServiceConnection(ServiceAddress("/nowhere/socket"))
    }
    let error = ServiceError.cannotConnect(ServiceAddress("/nowhere/socket"), code: 2)
    #expect("\(error)" == "cannot connect to /nowhere/socket: No such file or directory")
    let long = ServiceAddress("/" + String(repeating: "a", count: 200))
    #expect(throws: ServiceError.addressTooLong(long)) { try ServiceConnection(long) }
  }
}
