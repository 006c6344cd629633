import Platform
import ScrollClient

// Parses the command line, runs a verb, and reports errors.
extension Program {
  private static let verbs = Verb.all

  /// Runs the program with the process's standard streams.
  static func run(_ arguments: [String]) -> ExitStatus {
    // write(2) then reports that the reader is gone.
    Signal.brokenPipe.ignore()
    let output = Output(.standardOutput)
    do {
      let command = try CommandLineParser.parse(arguments, verbs: verbs)
      let status = try run(command, output)
      try output.flush()
      return status
    } catch let error as UsageError {
      printError(error.description, HelpText(verbs: verbs).hint(for: error))
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
    output.isASCII = style.isASCII
    if command.has(.version) {
      try output.line("\(name) \(version)")
      return .done
    }
    guard let verb = command.verb else {
      if command.has(.help) {
        try output.lines(HelpText(verbs: verbs, style: style).program)
        return .done
      }
      throw UsageError.missingVerb
    }
    if command.has(.help) {
      try output.lines(HelpText(verbs: verbs, style: style).verb(verb))
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
    report(error)
    return .failed
  }

  /// Prints why a verb failed, or failed for one of its arguments.
  static func report(_ error: any Error) {
    switch error {
    case let failure as Failure: printError(failure.message, failure.hint)
    case let error as ServiceError: printError(error.description, Hints.hint(for: error))
    default: printError("\(error)")
    }
  }
}
