import Testing

@testable import ScrollService

@Suite struct PlacesTests {
  @Test func theCommandThatChecksAConfigurationCanBePastedIntoAShell() {
    #expect(Places.checkCommand(nil) == "scrolld --check-config")
    #expect(Places.checkCommand("/etc/x-1.conf") == "scrolld --config /etc/x-1.conf --check-config")
    for file in ["/a b.conf", "/a$b.conf", "/ä.conf", "/a;b", "/*"] {
      #expect(Places.checkCommand(file) == "scrolld --config '\(file)' --check-config")
    }
    #expect(Places.checkCommand("/it's.conf") == #"scrolld --config '/it'\''s.conf' --check-config"#)
  }

  @Test func aRelativePathBecomesOneThatOtherProcessesCanUse() {
    #expect(Places.absolute("/a.conf") == "/a.conf")
    #expect(Places.absolute("d/a.conf").hasPrefix("/"))
    #expect(Places.absolute("d/a.conf").hasSuffix("/d/a.conf"))
  }
}
