@testable import scrollctl

/// The completions for fish, generated from the table of verbs.
enum FishCompletion {
  /// The script.
  static var text: String {
    """
    # fish completion of scrollctl(1).
    # Generated from the table of verbs in Sources/scrollctl and checked by tests. Edit that table.

    # The options of the command line that say which daemon is meant.
    function __scrollctl_daemon
        set -l words (commandline --tokenize --cut-at-cursor --current-process)
        for index in (seq (count $words))
            switch $words[$index]
                case --system --user '--socket=*'
                    echo $words[$index]
                case --socket
                    test $index -lt (count $words); and printf '%s\\n' --socket $words[(math $index + 1)]
            end
        end
    end

    # The names of the clients with open sessions. Names that JSON has to escape are passed over.
    function __scrollctl_clients
        scrollctl (__scrollctl_daemon) --json list 2>/dev/null | string replace --regex --filter '^\\{"client":"([^"\\\\\\\\]*)".*' '$1'
    end

    # The names of the policies that need no configuration.
    function __scrollctl_policies
        scrollctl --json policies 2>/dev/null | string replace --regex --filter '^\\{"name":"([^"\\\\\\\\]*)".*' '$1'
    end

    set -l verbs \((Verb.all.map(\.name) + ["help"]).joined(separator: " "))
    complete -c scrollctl -f
    \(lines.joined(separator: "\n"))

    """
  }

  private static var lines: [String] {
    let noVerb = "-n \"not __fish_seen_subcommand_from $verbs\""
    var lines = Option.global.map { line($0, condition: nil) }
    lines += Verb.all.map { "complete -c scrollctl \(noVerb) -a \($0.name) -d \(quoted($0.summary))" }
    lines.append("complete -c scrollctl \(noVerb) -a help -d 'Show help'")
    for verb in Verb.all {
      let condition = "-n '__fish_seen_subcommand_from \(verb.name)'"
      lines += verb.options.map { line($0, condition: condition) }
      // fish does not distinguish positions, so that it offers the completions of all arguments.
      var offers: [String] = []
      for argument in Completion.arguments(of: verb).flatMap(self.offers) where !offers.contains(argument) {
        offers.append(argument)
      }
      lines += offers.map { "complete -c scrollctl \(condition) \($0)" }
    }
    return lines
  }

  private static func line(_ option: Option, condition: String?) -> String {
    var words = ["complete -c scrollctl"]
    if let condition { words.append(condition) }
    if let short = option.short { words.append("-s \(short)") }
    words.append("-l \(option.name)")
    if option.value != nil {
      let completion = Completion(option)
      words.append(completion.files ? "-r" : "-x")
      words += offers(completion)
    }
    words.append("-d \(quoted(option.summary))")
    return words.joined(separator: " ")
  }

  private static func offers(_ completion: Completion) -> [String] {
    var offers: [String] = []
    if completion.files { offers.append("-F") }
    if completion.directories { offers.append("-a '(__fish_complete_directories)'") }
    if completion.clients { offers.append("-a '(__scrollctl_clients)'") }
    if completion.policies { offers.append("-a '(__scrollctl_policies)'") }
    if !completion.words.isEmpty { offers.append("-a \(quoted(completion.words.joined(separator: " ")))") }
    return offers
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
