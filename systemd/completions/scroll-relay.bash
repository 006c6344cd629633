# bash completion of scroll-relay(8).
_scroll_relay() {
  local cur prev words cword verb word
  _init_completion || return
  for word in "${words[@]:1:cword-1}"; do
    case $word in init | run | status | export) verb=$word ;; esac
  done
  case $prev in
    --config | --socket)
      _filedir
      return
      ;;
    --format)
      mapfile -t COMPREPLY < <(compgen -W 'text json openmetrics' -- "$cur")
      return
      ;;
    --period)
      mapfile -t COMPREPLY < <(compgen -W 'month week day' -- "$cur")
      return
      ;;
    --database | --machine | --name | --partitions | --of) return ;;
  esac
  local options='--config --database --machine --name --socket --help --version'
  case $verb in
    '') options+=' init run status export' ;;
    init) options+=' --partitions --period --row-security --foreign-shards --distributed --print' ;;
    status) options+=' --json --format' ;;
    export) options+=' --of' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
}
complete -F _scroll_relay scroll-relay
