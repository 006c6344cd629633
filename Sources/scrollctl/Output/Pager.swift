import Platform

/// The pager that shows long output on a terminal, as systemd's programs choose it: `$SYSTEMD_PAGER`, `$PAGER`, or less.
enum Pager {
  /// The options of less, unless `$SYSTEMD_LESS` has others: leave at once if everything fits, and keep colors.
  private static let lessOptions = "FRXMK"

  /// Starts the pager of a verb that has one.
  ///
  /// - Returns: `nil` when the output is no terminal, or no pager is wanted or installed.
  static func start(for command: ParsedCommand) -> PagerProcess? {
    guard let verb = command.verb, verb.options.contains(.noPager), BorrowedDescriptor.standardOutput.isTerminal,
      ![.noPager, .json, .help, .version, Verb.follow].contains(where: command.has),
      let pager = self.command(variable: CurrentProcess.variable, isInstalled: isInstalled)
    else { return nil }
    let options = CurrentProcess.variable("SYSTEMD_LESS") ?? lessOptions
    let environment = CurrentProcess.environment.filter { !$0.hasPrefix("LESS=") } + ["LESS=\(options)"]
    guard let process = try? PagerProcess(starting: pager, environment: environment) else { return nil }
    // Ctrl-C is for the pager, which the user leaves with q.
    Signal.interrupt.ignore()
    return process
  }

  /// Returns the command that starts the pager; `nil` for none.
  static func command(variable: (String) -> String?, isInstalled: (String) -> Bool) -> String? {
    if variable("TERM") ?? "dumb" == "dumb" { return nil }
    if let wanted = variable("SYSTEMD_PAGER") ?? variable("PAGER") {
      let program = wanted.split(separator: " ").first.map(String.init)
      guard let program, program != "cat", isInstalled(program) else { return nil }
      return wanted
    }
    return ["pager", "less", "more"].first(where: isInstalled)
  }

  private static func isInstalled(_ program: String) -> Bool {
    if program.contains("/") { return Files.exists(program) }
    let path = CurrentProcess.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").contains { Files.exists("\($0)/\(program)") }
  }
}
