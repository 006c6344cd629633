@testable import scrollctl

/// The completions for bash, generated from the table of verbs.
enum BashCompletion {
  /// The script.
  static var text: String {
    """
    # bash completion of scrollctl(1).
    # Generated from the table of verbs in Sources/scrollctl and checked by tests. Edit that table.

    # Prints the options of the command line that select the daemon.
    _scrollctl_daemon() {
      local index
      for ((index = 1; index < ${#words[@]}; index++)); do
        case ${words[index]} in
          --system | --user | --socket=*) printf '%s\\n' "${words[index]}" ;;
          --socket) printf '%s\\n' --socket "${words[index + 1]-}" ;;
        esac
      done
    }

    # Offers the names of clients with open sessions, except for names that JSON escapes.
    _scrollctl_clients() {
      local daemon names name
      mapfile -t daemon < <(_scrollctl_daemon)
      mapfile -t names < <(scrollctl "${daemon[@]}" --json list 2>/dev/null | sed -n 's/^{"client":"\\([^"\\\\]*\\)".*/\\1/p')
      for name in "${names[@]}"; do
        [[ $name != "$cur"* ]] || COMPREPLY+=("$(printf '%q' "$name")")
      done
    }

    # Offers the names of the built-in policies.
    _scrollctl_policies() {
      _scrollctl_words "$(scrollctl --json policies 2>/dev/null | sed -n 's/^{"name":"\\([^"\\\\]*\\)".*/\\1/p')"
    }

    # Offers the words of a list.
    _scrollctl_words() {
      local found
      mapfile -t found < <(compgen -W "$1" -- "$cur")
      COMPREPLY+=("${found[@]}")
      # A value follows.
      [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
    }

    _scrollctl() {
      local cur prev words cword split verb= count=0 index
      _init_completion -s -n : || return

      for ((index = 1; index < cword; index++)); do
        case $verb:${words[index]} in
          \(optionsWithValue.joined(separator: " | "))) ((index++)) ;;
          *:-?*) ;;
          *) if [[ -z $verb || $verb == help ]]; then verb=${words[index]}; else ((count += 1)); fi ;;
        esac
      done

      case $verb:$prev in
    \(values.joined(separator: "\n"))
      esac
      # An option without a value, or an unknown one.
      if $split; then return; fi

      if [[ $cur == -* ]]; then
        case $verb in
    \(options.joined(separator: "\n"))
        esac
        _scrollctl_words '\(names(Option.global))'
        return
      fi

      case $verb:$count in
        :* | help:*) _scrollctl_words '\((Verb.all.map(\.name) + ["help"]).joined(separator: " "))' ;;
    \(arguments.joined(separator: "\n"))
      esac
      __ltrim_colon_completions "$cur"
    }

    complete -F _scrollctl scrollctl

    """
  }

  private static func names(_ options: [Option]) -> String {
    options.map { "--\($0.name)" }.joined(separator: " ")
  }

  /// All options with a value, each with its verb. The same name may have a value with one verb and none with another.
  private static var optionsWithValue: [String] {
    let global = Option.global.map { (verb: "*", option: $0) }
    let own = Verb.all.flatMap { verb in verb.options.map { (verb: verb.name, option: $0) } }
    return (global + own).filter { $0.option.value != nil }.flatMap { verb, option in
      spellings(option).map { "\(verb):\($0)" }
    }
  }

  private static func spellings(_ option: Option) -> [String] {
    ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
  }

  /// The completions of each option's value.
  private static var values: [String] {
    let global = Option.global.filter { $0.value != nil }.map { value($0, verb: "*") }
    let own = Verb.all.flatMap { verb in verb.options.filter { $0.value != nil }.map { value($0, verb: verb.name) } }
    return global + own
  }

  private static func value(_ option: Option, verb: String) -> String {
    let pattern = spellings(option).map { "\(verb):\($0)" }.joined(separator: " | ")
    return "    \(pattern))\(offers(Completion(option))) __ltrim_colon_completions \"$cur\"; return ;;"
  }

  private static var options: [String] {
    Verb.all.filter { !$0.options.isEmpty }.map { "      \($0.name)) _scrollctl_words '\(names($0.options))' ;;" }
  }

  /// The completions of each argument of each verb.
  private static var arguments: [String] {
    Verb.all.flatMap { verb in
      let completions = Completion.arguments(of: verb)
      return completions.enumerated().compactMap { index, completion -> String? in
        if completion.isNothing { return nil }
        let place = index == completions.count - 1 && verb.takesMore ? "*" : "\(index)"
        return "    \(verb.name):\(place))\(offers(completion)) ;;"
      }
    }
  }

  private static func offers(_ completion: Completion) -> String {
    var calls: [String] = []
    if completion.files { calls.append("_filedir") }
    if completion.directories { calls.append("_filedir -d") }
    if completion.clients { calls.append("_scrollctl_clients") }
    if completion.policies { calls.append("_scrollctl_policies") }
    if !completion.words.isEmpty { calls.append("_scrollctl_words '\(completion.words.joined(separator: " "))'") }
    return calls.map { " \($0);" }.joined()
  }
}
