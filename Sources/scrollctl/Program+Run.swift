import Platform
import ScrollClient

// Parses the command line, runs a verb, and reports errors.
extension Program {
  private static let verbs = Verb.all

  /// Runs the program with the process's standard streams.
  static func run(_ arguments: [String]) -> ExitStatus {
    // write(2) then reports that the reader is gone.
    Signal.brokenPipe.ignore()
    var output = Output(.standardOutput)
    var pager: PagerProcess?
    // Whatever happens, the user reads on before the shell prompts again.
    defer { pager?.finish() }
    do {
      let command = try CommandLineParser.parse(arguments, verbs: verbs)
      pager = Pager.start(for: command)
      if let pager { output = Output(pager.input) }
      let status = try run(command, output)
      try output.flush()
      return status
    } catch let error as UsageError {
      printError(
        error.description,
        HelpText(verbs: verbs).hint(for: error, of: CommandLineParser.verb(of: arguments, verbs: verbs)))
      return .usage
    } catch OutputError.readerGone {
      // A pipe to head(1) closes when head has enough.
      return .done
    } catch {
      return fail(error, output)
    }
  }

  private static func run(_ command: ParsedCommand, _ output: Output) throws -> ExitStatus {
    let style = Style(.standardOutput, coloring: try command.coloring())
    output.isASCII = style.isASCII
    if command.has(.version) {
      try output.line("\(name) \(version)")
      return .done
    }
    guard let verb = command.verb else {
      // The bare name asks what the program can do.
      if command.has(.help) || command.options.isEmpty {
        try output.lines(help(style).program)
        return .done
      }
      throw UsageError.missingVerb
    }
    if command.has(.help) {
      try output.lines(help(style).verb(verb))
      return .done
    }
    return try verb.run(Invocation(command: command, output: output, style: style))
  }

  private static func help(_ style: Style) -> HelpText {
    HelpText(verbs: verbs, style: style, width: min(80, style.columns ?? 80))
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
}
