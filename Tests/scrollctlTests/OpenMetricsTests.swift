import ScrollClientTesting
import ScrollModel
import Testing

@testable import scrollctl

@Suite("OpenMetrics")
struct OpenMetricsTests {
  private static let statistics =
    #"{"version":"1.0 \"a\"","generation":2,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
    + #""connections":3,"subscribers":1,"metrics":[{"name":"bytes_received","value":4,"kind":"counter"},"#
    + #"{"name":"log_bytes","value":5,"kind":"gauge"},{"name":"new thing","value":6,"kind":"summary"}]}"#

  private func run(_ arguments: String...) throws -> CapturedOutput {
    let daemon = try FakeDaemon { _, _, _ in .reply(Self.statistics) }
    let captured = CapturedOutput()
    #expect(try captured.run(["statistics", "--socket", daemon.address.path] + arguments) == .done)
    return captured
  }

  @Test("OpenMetrics have types, units, help and an end marker; a metric of unknown kind has no type")
  func text() throws {
    let lines = try run("--format", "openmetrics").lines
    #expect(
      lines.prefix(3) == [
        "# TYPE scrolld_build_info gauge", "# HELP scrolld_build_info The running version.",
        #"scrolld_build_info{version="1.0 \"a\""} 1"#,
      ])
    #expect(
      lines.suffix(11) == [
        "# TYPE scrolld_received_bytes counter", "# UNIT scrolld_received_bytes bytes",
        "# HELP scrolld_received_bytes Bytes received since the daemon started.", "scrolld_received_bytes_total 4",
        "# TYPE scrolld_log_bytes gauge", "# UNIT scrolld_log_bytes bytes", "# HELP scrolld_log_bytes Log bytes.",
        "scrolld_log_bytes 5", "# HELP scrolld_new_thing New thing.", "scrolld_new_thing 6", "# EOF",
      ])
    #expect(lines.contains("scrolld_synced_position 8"))
  }

  @Test("A version and a metric's name can neither control a terminal nor break a line")
  func escapes() throws {
    let text = Self.statistics.replacing(#"1.0 \"a\""#, with: #"1\u001b[2J\n\u009b"#)
      .replacing("new thing", with: #"n\u001b\n"#)
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    for format in ["text", "openmetrics"] {
      let captured = CapturedOutput()
      #expect(try captured.run(["statistics", "--socket", daemon.address.path, "--format", format]) == .done)
      #expect(captured.text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafeToPrint }, "\(format)")
      #expect(captured.lines.count == (format == "text" ? 9 : 35))
    }
  }

  @Test("The default format is text")
  func people() throws {
    #expect(try run("--format", "text").text == run().text)
    #expect(try run().lines.contains("bytes_received: 4"))
  }

  @Test("An unknown format is refused, and so is a format with --json")
  func refusals() throws {
    #expect(throws: UsageError.self) { try CapturedOutput().run(["statistics", "--format", "xml"]) }
    #expect(throws: UsageError.conflict("json", "format")) {
      try CapturedOutput().run(["--json", "statistics", "--format", "openmetrics"])
    }
  }

  @Test(
    "The time of the start has the name that monitoring knows, and a prefix that keeps it apart from node_exporter's")
  func start() throws {
    let text = Self.statistics.replacing(#""metrics":"#, with: #""started":1796000000002500,"metrics":"#)
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    let captured = CapturedOutput()
    #expect(try captured.run(["statistics", "--format", "openmetrics", "--socket", daemon.address.path]) == .done)
    let name = "scrolld_process_start_time_seconds"
    #expect(
      captured.lines.map(String.init)[3...6] == [
        "# TYPE \(name) gauge", "# UNIT \(name) seconds",
        "# HELP \(name) When the daemon started, in seconds since the Unix epoch.", "\(name) 1796000000.002500",
      ])
  }
}
