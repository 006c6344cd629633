@testable import scrollctl

/// The output of a verb, captured for a test.
final class CapturedOutput {
  private(set) var bytes: [UInt8] = []

  /// The output that is captured.
  private(set) lazy var output = Output { [unowned self] bytes throws(OutputError) in
    self.bytes.append(contentsOf: bytes)
  }

  /// The text that was printed and flushed.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The lines of the text.
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }

  /// Runs a command line.
  ///
  /// - Parameter style: How the output looks; by default as in a file.
  /// - Returns: The exit status.
  /// - Throws: The error that makes the program exit with status 1 or 2.
  func run(_ arguments: [String], style: Style = Style()) throws -> ExitStatus {
    let command = try CommandLineParser.parse(arguments, verbs: Verb.all)
    guard let verb = command.verb else { throw UsageError.missingVerb }
    let status = try verb.run(Invocation(command: command, output: output, style: style))
    try output.flush()
    return status
  }
}
