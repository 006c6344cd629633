import Testing
import Varlink

@Suite struct VarlinkAddressTests {
  @Test(arguments: [
    ("unix:/run/x/socket", VarlinkAddress.path("/run/x/socket")), ("unix:relative", .path("relative")),
    ("unix:/run/x;mode=0660", .path("/run/x")), ("unix:@name", .abstract("name")), ("unix:@", .abstract("")),
    ("unix:@name;mode=0660;x=y", .abstract("name")),
  ])
  func unixAddressesAreParsed(text: String, address: VarlinkAddress) {
    #expect(VarlinkAddress(text) == address)
  }

  @Test(arguments: ["", "unix:", "unix:;mode=0660", "/run/x", "tcp:127.0.0.1:1", "Unix:/run/x", "exec:x"])
  func otherAddressesAreRejected(text: String) {
    #expect(VarlinkAddress(text) == nil)
  }

  @Test func aParsedAddressIsWrittenUnchanged() {
    for text in ["unix:/run/x/socket", "unix:@name"] { #expect(VarlinkAddress(text)?.description == text) }
  }
}
