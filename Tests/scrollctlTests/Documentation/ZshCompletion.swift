@testable import scrollctl

/// The completions for zsh, generated from the table of verbs.
enum ZshCompletion {
  /// The file.
  static var text: String {
    """
    #compdef scrollctl
    # zsh completion of scrollctl(1).
    # Generated from the table of verbs in Sources/scrollctl and checked by tests. Edit that table.

    # Keeps the options that say which daemon is meant.
    _scrollctl_note_daemon() {
      (( ! $+opt_args[--system] )) || daemon=(--system)
      (( ! $+opt_args[--user] )) || daemon=(--user)
      [[ -z $opt_args[--socket] ]] || daemon=(--socket ${(Q)opt_args[--socket]})
    }

    # The names of the clients with open sessions of that daemon. Names that JSON has to escape are passed over.
    _scrollctl_clients() {
      local -a names
      _scrollctl_note_daemon
      names=(${(f)"$(scrollctl $daemon --json list 2>/dev/null | sed -n 's/^{"client":"\\([^"\\\\]*\\)".*/\\1/p')"})
      _wanted clients expl client compadd -a names
    }

    # The names of the policies that need no configuration.
    _scrollctl_policies() {
      local -a names
      names=(${(f)"$(scrollctl --json policies 2>/dev/null | sed -n 's/^{"name":"\\([^"\\\\]*\\)".*/\\1/p')"})
      _wanted policies expl policy compadd -a names
    }

    _scrollctl_verbs() {
      local -a verbs
      verbs=(
    \(Verb.all.map { "    \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n"))
        'help:Show help'
      )
      _describe verb verbs
    }

    _scrollctl() {
      local curcontext=$curcontext state line
      local -A opt_args
      local -a everywhere daemon
      everywhere=(
    \(Option.global.map { "    \(specification($0))" }.joined(separator: "\n"))
      )
      _arguments -C $everywhere ':verb:_scrollctl_verbs' '*:: :->verb'
      [[ $state == verb ]] || return
      # The next call of _arguments forgets what stood before the verb.
      _scrollctl_note_daemon
      curcontext=${curcontext%:*:*}:scrollctl-$words[1]:
      case $words[1] in
        help) _arguments ':verb:_scrollctl_verbs' ;;
    \(Verb.all.map(arguments).joined(separator: "\n"))
      esac
    }

    _scrollctl "$@"

    """
  }

  private static func arguments(_ verb: Verb) -> String {
    var specifications = verb.options.map(specification)
    let completions = Completion.arguments(of: verb)
    let names = verb.arguments.flatMap { Array(repeating: $0.name, count: $0.words) }
    for (index, completion) in completions.enumerated() {
      let place = index == completions.count - 1 && verb.takesMore ? "*" : ""
      specifications.append(quoted("\(place):\(colonless(names[index])):\(action(completion))"))
    }
    let lines = ["_arguments $everywhere"] + specifications.map { "  \($0)" }
    return "    \(verb.name))\n" + lines.map { "      \($0)" }.joined(separator: " \\\n") + "\n      ;;"
  }

  private static func specification(_ option: Option) -> String {
    let text = "[\(option.summary.replacing(["[": "\\[", "]": "\\]"]))]"
    let value = option.value.map { ":\(colonless($0)):\(action(Completion(option)))" } ?? ""
    guard let short = option.short else {
      // A long option's value may follow = or be the next word.
      let name = "--\(option.name)" + (option.value == nil ? "" : "=")
      return quoted((option.repeats ? "*" : "") + name + text + value)
    }
    let long = "--\(option.name)"
    return "'(-\(short) \(long))'{-\(short)\(option.value == nil ? "" : "+"),\(long)\(option.value == nil ? "" : "=")}"
      + quoted(text + value)
  }

  private static func action(_ completion: Completion) -> String {
    var actions: [String] = []
    if completion.files { actions.append("files:file:_files") }
    if completion.directories { actions.append("directories:directory:_directories") }
    if completion.clients { actions.append("clients:client:_scrollctl_clients") }
    if completion.policies { actions.append("policies:policy:_scrollctl_policies") }
    if !completion.words.isEmpty { actions.append("words:word:(\(completion.words.joined(separator: " ")))") }
    switch actions.count {
    case 0: return " "
    case 1: return String(actions[0].split(separator: ":", maxSplits: 2)[2])
    // The space keeps _arguments from adding words of its own.
    default: return " _alternative \(actions.map { "\"\($0)\"" }.joined(separator: " "))"
    }
  }

  private static func colonless(_ text: String) -> String { text.replacing([":": "\\:"]) }

  private static func quoted(_ text: String) -> String { "'" + text.replacing(["'": "'\\''"]) + "'" }
}

extension String {
  /// Returns the text with replaced characters.
  fileprivate func replacing(_ replacements: [Character: String]) -> String {
    map { replacements[$0] ?? String($0) }.joined()
  }
}
