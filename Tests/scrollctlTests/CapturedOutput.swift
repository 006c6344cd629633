// What a verb prints, kept for a test to look at.

@testable import scrollctl

/// What a verb prints, kept for a test to look at.
final class CapturedOutput {
  private(set) var bytes: [UInt8] = []

  /// An output that ends here.
  private(set) lazy var output = Output { [unowned self] bytes throws(OutputError) in
    self.bytes.append(contentsOf: bytes)
  }

  /// What has been printed and flushed.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The same, line by line.
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }

  /// Runs a command line.
  ///
  /// - Returns: Its exit status.
  /// - Throws: What the program would report and end with status 1 or 2.
  func run(_ arguments: [String]) throws -> ExitStatus {
    let command = try CommandLineParser.parse(arguments)
    guard let verb = command.verb else { throw UsageError.missingVerb }
    let status = try verb.run(Invocation(command: command, output: output, style: Style()))
    try output.flush()
    return status
  }
}
