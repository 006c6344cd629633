// From arguments to an exit status.

import Platform
import ScrollClient
import ScrollService

/// The program as a whole: parses, runs a verb, and says what went wrong.
enum Program {
  static let name = "scrollctl"
  /// The daemon's own: the two are built together.
  static let version = Daemon.version

  /// Runs the program on the process's own streams.
  static func run(_ arguments: [String]) -> ExitStatus {
    // write(2) reports a reader that is gone.
    Signal.brokenPipe.ignore()
    let output = Output(.standardOutput)
    do {
      let command = try CommandLineParser.parse(arguments)
      let status = try run(command, output)
      try output.flush()
      return status
    } catch let error as UsageError {
      complain(error.description, error.hint)
      return .usage
    } catch OutputError.readerGone {
      // Whoever piped us into head(1) has got what they wanted.
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

  /// Says why a verb came to nothing, after what it has printed already.
  private static func fail(_ error: any Error, _ output: Output) -> ExitStatus {
    do {
      if !(error is OutputError) { try output.flush() }
    } catch OutputError.readerGone {
      // The reader is gone, which changes nothing about what failed.
    } catch {
      complain("\(error)")
    }
    switch error {
    case let failure as Failure: complain(failure.message, failure.hint)
    case let error as ServiceError: complain(error.description, Hints.hint(for: error))
    default: complain("\(error)")
    }
    return .failed
  }

  /// Says what is left undone, and goes on.
  static func warn(_ message: String, hint: String? = nil) { complain(message, hint) }

  /// Writes a message to standard error; nothing in it can reach the terminal raw.
  private static func complain(_ message: String, _ hint: String? = nil) {
    var text = "\(name): \(visible(message))\n"
    if let hint { text += hint.split(separator: "\n").map { visible(String($0)) + "\n" }.joined() }
    StandardError.write(text)
  }
}
