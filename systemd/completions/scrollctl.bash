# bash completion of scrollctl(1).
# Generated from the table of verbs in Sources/scrollctl and checked by tests. Edit that table.

# Prints the options of the command line that select the daemon.
_scrollctl_daemon() {
  local index
  for ((index = 1; index < ${#words[@]}; index++)); do
    case ${words[index]} in
      --system | --user | --socket=*) printf '%s\n' "${words[index]}" ;;
      --socket) printf '%s\n' --socket "${words[index + 1]-}" ;;
    esac
  done
}

# Offers the names of clients with open sessions, except for names that JSON escapes.
_scrollctl_clients() {
  local daemon names name
  mapfile -t daemon < <(_scrollctl_daemon)
  mapfile -t names < <(scrollctl "${daemon[@]}" --json list 2>/dev/null | sed -n 's/^{"client":"\([^"\\]*\)".*/\1/p')
  for name in "${names[@]}"; do
    [[ $name != "$cur"* ]] || COMPREPLY+=("$(printf '%q' "$name")")
  done
}

# Offers the names of the built-in policies.
_scrollctl_policies() {
  _scrollctl_words "$(scrollctl --json policies 2>/dev/null | sed -n 's/^{"name":"\([^"\\]*\)".*/\1/p')"
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
      *:--socket | *:--color | demo:--speed | sessions:--since | sessions:--until | sessions:--by | sessions:--sort | sessions:--lines | sessions:-n | sessions:--uid | status:--at | status:--by | status:--uid | explain:--at | explain:--by | explain:--uid | explain:--policy | explain:--set | explain:--config | watch:--after | log:--lines | log:-n | log:--since | log:--until | log:--by | log:--after | log:--limit | log:--output | log:-o | log:--uid | record:--client | record:--session | record:--speed | scroll-to:--wait | scroll-to:--uid | fold:--policy | fold:--set | fold:--config | fold:--expect | fold:--since | fold:--until | fold:--uid | compare:--policy | compare:--set | compare:--config | compare:--max-flickers | compare:--since | compare:--until | compare:--uid | sweep:--policy | sweep:--set | sweep:--config | sweep:--since | sweep:--until | sweep:--uid | timeline:--policy | timeline:--set | timeline:--config | timeline:--from | timeline:--to | timeline:--width | timeline:--svg | timeline:--since | timeline:--until | timeline:--uid | check:--since | check:--until | check:--uid | reading:--by | reading:--bands | reading:--idle | reading:--since | reading:--until | reading:--uid | report:--policy | report:--set | report:--config | report:--output | report:-o | report:--since | report:--until | report:--uid | convert:--from | convert:--columns | convert:--time-unit | convert:--start | convert:--content-height | convert:--content-width | convert:--frame-height | convert:--frame-width | convert:--id | convert:--pause | convert:--gap | convert:--client | convert:--title | policies:--config | statistics:--format | vacuum:--max-use | vacuum:--max-age | forget:--uid | forget:--from | backup:--directory | backup:-D | restore:--directory | restore:-D | restore:--list | export:--since | export:--until | export:--output | export:--sqlite | export:--csv | export:--uid | import:--prefix) ((index++)) ;;
      *:-?*) ;;
      *) if [[ -z $verb || $verb == help ]]; then verb=${words[index]}; else ((count += 1)); fi ;;
    esac
  done

  case $verb:$prev in
    *:--socket) _filedir; __ltrim_colon_completions "$cur"; return ;;
    *:--color) _scrollctl_words 'always auto never'; __ltrim_colon_completions "$cur"; return ;;
    demo:--speed) __ltrim_colon_completions "$cur"; return ;;
    sessions:--since) __ltrim_colon_completions "$cur"; return ;;
    sessions:--until) __ltrim_colon_completions "$cur"; return ;;
    sessions:--by) _scrollctl_words 'received event-time'; __ltrim_colon_completions "$cur"; return ;;
    sessions:--sort) _scrollctl_words 'opened client user application title duration events reach flips flickers policy'; __ltrim_colon_completions "$cur"; return ;;
    sessions:--lines | sessions:-n) __ltrim_colon_completions "$cur"; return ;;
    sessions:--uid) __ltrim_colon_completions "$cur"; return ;;
    status:--at) __ltrim_colon_completions "$cur"; return ;;
    status:--by) _scrollctl_words 'received event-time'; __ltrim_colon_completions "$cur"; return ;;
    status:--uid) __ltrim_colon_completions "$cur"; return ;;
    explain:--at) __ltrim_colon_completions "$cur"; return ;;
    explain:--by) _scrollctl_words 'received event-time'; __ltrim_colon_completions "$cur"; return ;;
    explain:--uid) __ltrim_colon_completions "$cur"; return ;;
    explain:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    explain:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    explain:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    watch:--after) __ltrim_colon_completions "$cur"; return ;;
    log:--lines | log:-n) __ltrim_colon_completions "$cur"; return ;;
    log:--since) __ltrim_colon_completions "$cur"; return ;;
    log:--until) __ltrim_colon_completions "$cur"; return ;;
    log:--by) _scrollctl_words 'received event-time'; __ltrim_colon_completions "$cur"; return ;;
    log:--after) __ltrim_colon_completions "$cur"; return ;;
    log:--limit) __ltrim_colon_completions "$cur"; return ;;
    log:--output | log:-o) _scrollctl_words 'short json ndjson-recording'; __ltrim_colon_completions "$cur"; return ;;
    log:--uid) __ltrim_colon_completions "$cur"; return ;;
    record:--client) _scrollctl_clients; __ltrim_colon_completions "$cur"; return ;;
    record:--session) __ltrim_colon_completions "$cur"; return ;;
    record:--speed) __ltrim_colon_completions "$cur"; return ;;
    scroll-to:--wait) __ltrim_colon_completions "$cur"; return ;;
    scroll-to:--uid) __ltrim_colon_completions "$cur"; return ;;
    fold:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    fold:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    fold:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    fold:--expect) _filedir; __ltrim_colon_completions "$cur"; return ;;
    fold:--since) __ltrim_colon_completions "$cur"; return ;;
    fold:--until) __ltrim_colon_completions "$cur"; return ;;
    fold:--uid) __ltrim_colon_completions "$cur"; return ;;
    compare:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    compare:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    compare:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    compare:--max-flickers) __ltrim_colon_completions "$cur"; return ;;
    compare:--since) __ltrim_colon_completions "$cur"; return ;;
    compare:--until) __ltrim_colon_completions "$cur"; return ;;
    compare:--uid) __ltrim_colon_completions "$cur"; return ;;
    sweep:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    sweep:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    sweep:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    sweep:--since) __ltrim_colon_completions "$cur"; return ;;
    sweep:--until) __ltrim_colon_completions "$cur"; return ;;
    sweep:--uid) __ltrim_colon_completions "$cur"; return ;;
    timeline:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    timeline:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    timeline:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    timeline:--from) __ltrim_colon_completions "$cur"; return ;;
    timeline:--to) __ltrim_colon_completions "$cur"; return ;;
    timeline:--width) __ltrim_colon_completions "$cur"; return ;;
    timeline:--svg) _filedir; __ltrim_colon_completions "$cur"; return ;;
    timeline:--since) __ltrim_colon_completions "$cur"; return ;;
    timeline:--until) __ltrim_colon_completions "$cur"; return ;;
    timeline:--uid) __ltrim_colon_completions "$cur"; return ;;
    check:--since) __ltrim_colon_completions "$cur"; return ;;
    check:--until) __ltrim_colon_completions "$cur"; return ;;
    check:--uid) __ltrim_colon_completions "$cur"; return ;;
    reading:--by) _scrollctl_words 'client application title'; __ltrim_colon_completions "$cur"; return ;;
    reading:--bands) __ltrim_colon_completions "$cur"; return ;;
    reading:--idle) __ltrim_colon_completions "$cur"; return ;;
    reading:--since) __ltrim_colon_completions "$cur"; return ;;
    reading:--until) __ltrim_colon_completions "$cur"; return ;;
    reading:--uid) __ltrim_colon_completions "$cur"; return ;;
    report:--policy) _scrollctl_policies; __ltrim_colon_completions "$cur"; return ;;
    report:--set) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; __ltrim_colon_completions "$cur"; return ;;
    report:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    report:--output | report:-o) _filedir; __ltrim_colon_completions "$cur"; return ;;
    report:--since) __ltrim_colon_completions "$cur"; return ;;
    report:--until) __ltrim_colon_completions "$cur"; return ;;
    report:--uid) __ltrim_colon_completions "$cur"; return ;;
    convert:--from) _scrollctl_words 'csv tsv rrweb json-lines'; __ltrim_colon_completions "$cur"; return ;;
    convert:--columns) __ltrim_colon_completions "$cur"; return ;;
    convert:--time-unit) _scrollctl_words 's ms us ns'; __ltrim_colon_completions "$cur"; return ;;
    convert:--start) __ltrim_colon_completions "$cur"; return ;;
    convert:--content-height) __ltrim_colon_completions "$cur"; return ;;
    convert:--content-width) __ltrim_colon_completions "$cur"; return ;;
    convert:--frame-height) __ltrim_colon_completions "$cur"; return ;;
    convert:--frame-width) __ltrim_colon_completions "$cur"; return ;;
    convert:--id) __ltrim_colon_completions "$cur"; return ;;
    convert:--pause) __ltrim_colon_completions "$cur"; return ;;
    convert:--gap) __ltrim_colon_completions "$cur"; return ;;
    convert:--client) _scrollctl_clients; __ltrim_colon_completions "$cur"; return ;;
    convert:--title) __ltrim_colon_completions "$cur"; return ;;
    policies:--config) _filedir; __ltrim_colon_completions "$cur"; return ;;
    statistics:--format) _scrollctl_words 'text openmetrics'; __ltrim_colon_completions "$cur"; return ;;
    vacuum:--max-use) __ltrim_colon_completions "$cur"; return ;;
    vacuum:--max-age) __ltrim_colon_completions "$cur"; return ;;
    forget:--uid) __ltrim_colon_completions "$cur"; return ;;
    forget:--from) __ltrim_colon_completions "$cur"; return ;;
    backup:--directory | backup:-D) __ltrim_colon_completions "$cur"; return ;;
    restore:--directory | restore:-D) __ltrim_colon_completions "$cur"; return ;;
    restore:--list) __ltrim_colon_completions "$cur"; return ;;
    export:--since) __ltrim_colon_completions "$cur"; return ;;
    export:--until) __ltrim_colon_completions "$cur"; return ;;
    export:--output) _filedir -d; __ltrim_colon_completions "$cur"; return ;;
    export:--sqlite) _filedir; __ltrim_colon_completions "$cur"; return ;;
    export:--csv) _filedir -d; __ltrim_colon_completions "$cur"; return ;;
    export:--uid) __ltrim_colon_completions "$cur"; return ;;
    import:--prefix) __ltrim_colon_completions "$cur"; return ;;
  esac
  # An option without a value, or an unknown one.
  if $split; then return; fi

  if [[ $cur == -* ]]; then
    case $verb in
      demo) _scrollctl_words '--speed' ;;
      sessions) _scrollctl_words '--since --until --by --open --closed --sort --reverse --lines --uid' ;;
      status) _scrollctl_words '--at --by --uid' ;;
      explain) _scrollctl_words '--at --by --uid --policy --set --config --no-pager' ;;
      watch) _scrollctl_words '--after --frames --no-reconnect' ;;
      log) _scrollctl_words '--lines --follow --no-reconnect --since --until --by --reverse --after --limit --output --no-pager --uid' ;;
      record) _scrollctl_words '--client --session --speed' ;;
      scroll-to) _scrollctl_words '--wait --uid' ;;
      fold) _scrollctl_words '--policy --set --config --expect --since --until --uid' ;;
      compare) _scrollctl_words '--policy --set --config --expect-same --max-flickers --summary --no-pager --since --until --uid' ;;
      sweep) _scrollctl_words '--policy --set --config --since --until --uid' ;;
      timeline) _scrollctl_words '--policy --set --config --from --to --width --svg --force --since --until --uid' ;;
      check) _scrollctl_words '--since --until --uid' ;;
      reading) _scrollctl_words '--by --bands --idle --csv --since --until --uid' ;;
      report) _scrollctl_words '--policy --set --config --output --force --since --until --uid' ;;
      convert) _scrollctl_words '--from --columns --time-unit --start --content-height --content-width --frame-height --frame-width --id --pause --gap --client --title --skip-bad' ;;
      policies) _scrollctl_words '--config --no-pager' ;;
      statistics) _scrollctl_words '--format' ;;
      vacuum) _scrollctl_words '--max-use --max-age' ;;
      forget) _scrollctl_words '--dry-run --yes --uid --from' ;;
      backup) _scrollctl_words '--directory' ;;
      restore) _scrollctl_words '--directory --list' ;;
      export) _scrollctl_words '--since --until --output --flat --damaged --sqlite --csv --force --uid' ;;
      import) _scrollctl_words '--prefix --again --no-same-owner' ;;
      repair) _scrollctl_words '--dry-run' ;;
    esac
    _scrollctl_words '--json --system --user --socket --color --no-color --help --version'
    return
  fi

  case $verb:$count in
    :* | help:*) _scrollctl_words 'demo list sessions status explain watch log record scroll-to fold compare sweep timeline check reading report convert policies statistics reload sync rotate vacuum forget forgotten backup restore export import verify repair help' ;;
    demo:0) _filedir; ;;
    list:*) _scrollctl_clients; ;;
    sessions:*) _scrollctl_clients; ;;
    status:0) _scrollctl_clients; ;;
    explain:0) _filedir; _scrollctl_clients; ;;
    watch:*) _scrollctl_clients; ;;
    log:*) _scrollctl_clients; ;;
    record:*) _filedir; ;;
    scroll-to:0) _scrollctl_clients; ;;
    scroll-to:1) _scrollctl_words 'top bottom page'; ;;
    fold:*) _filedir; _scrollctl_clients; ;;
    compare:*) _filedir; _scrollctl_clients; ;;
    sweep:0) _scrollctl_words 'hideDistance= showDistance= edgeTolerance= zoomTolerance= zoomInDistance= minimumRange= hideOffset= topButtonDistance= topButtonHysteresis= pageHysteresis= revealAtBottom='; ;;
    sweep:*) _filedir; _scrollctl_clients; ;;
    timeline:*) _filedir; _scrollctl_clients; ;;
    check:*) _filedir; _scrollctl_clients; ;;
    reading:*) _filedir; _scrollctl_clients; ;;
    report:*) _filedir; _scrollctl_clients; ;;
    convert:*) _filedir; ;;
    forget:0) _scrollctl_clients; ;;
    forgotten:0) _filedir -d; ;;
    backup:0) _filedir -d; ;;
    restore:0) _filedir -d; ;;
    export:*) _filedir; _scrollctl_clients; ;;
    import:*) _filedir; ;;
    verify:0) _filedir -d; ;;
    repair:0) _filedir -d; ;;
  esac
  __ltrim_colon_completions "$cur"
}

complete -F _scrollctl scrollctl
