import Platform
import ScrollClient
import ScrollService

/// The program: parses the command line, runs a verb, and reports errors.
enum Program {
  static let name = "scrollctl"
  /// The version, which is also the daemon's: both are built together.
  static let version = Daemon.version

  /// Runs the program with the process's standard streams.
  static func run(_ arguments: [String]) -> ExitStatus {
    // write(2) then reports that the reader is gone.
    Signal.brokenPipe.ignore()
    let output = Output(.standardOutput)
    do {
      let command = try CommandLineParser.parse(arguments)
      let status = try run(command, output)
      try output.flush()
      return status
    } catch let error as UsageError {
      printError(error.description, error.hint)
      return .usage
    } catch OutputError.readerGone {
      // A pipe to head(1) closes when head has enough.
      return .done
    } catch {
      return fail(error, output)
    }
  }

  private static func run(_ command: ParsedCommand, _ output: Output) throws -> ExitStatus {
    let style = Style(.standardOutput, colors: !command.has(.noColor))
    if command.has(.version) {
      try output.line("\(name) \(version)")
      return .done
    }
    guard let verb = command.verb else {
      if command.has(.help) {
        try output.lines(HelpText(style: style).program)
        return .done
      }
      throw UsageError.missingVerb
    }
    if command.has(.help) {
      try output.lines(HelpText(style: style).verb(verb))
      return .done
    }
    return try verb.run(Invocation(command: command, output: output, style: style))
  }

  /// Reports why a verb failed, after what it has already printed.
  private static func fail(_ error: any Error, _ output: Output) -> ExitStatus {
    do {
      if !(error is OutputError) { try output.flush() }
    } catch OutputError.readerGone {
      // The verb's own error still counts.
    } catch {
      printError("\(error)")
    }
    switch error {
    case let failure as Failure: printError(failure.message, failure.hint)
    case let error as ServiceError: printError(error.description, Hints.hint(for: error))
    default: printError("\(error)")
    }
    return .failed
  }

  /// Reports a problem that does not stop the verb.
  static func warn(_ message: String, hint: String? = nil) { printError(message, hint) }

  /// Prints a message to standard error, safe for a terminal.
  private static func printError(_ message: String, _ hint: String? = nil) {
    var text = "\(name): \(visible(message))\n"
    if let hint { text += hint.split(separator: "\n").map { visible(String($0)) + "\n" }.joined() }
    StandardError.write(text)
  }
}

/// The exit status of the process.
enum ExitStatus: Int32 {
  /// The verb succeeded.
  case done = 0
  /// The verb failed, or a check found a problem.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
}
