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
                test $index -lt (count $words); and printf '%s\n' --socket $words[(math $index + 1)]
        end
    end
end

# The names of the clients with open sessions. Names that JSON has to escape are passed over.
function __scrollctl_clients
    scrollctl (__scrollctl_daemon) --json list 2>/dev/null | string replace --regex --filter '^\{"client":"([^"\\\\]*)".*' '$1'
end

# The names of the policies that need no configuration.
function __scrollctl_policies
    scrollctl --json policies 2>/dev/null | string replace --regex --filter '^\{"name":"([^"\\\\]*)".*' '$1'
end

set -l verbs demo list status explain watch log record scroll-to fold compare timeline check convert policies statistics reload sync rotate vacuum forget forgotten backup restore export import verify repair help
complete -c scrollctl -f
complete -c scrollctl -l json -d 'Print one JSON object per line'
complete -c scrollctl -l system -d 'Use the system\'s daemon'
complete -c scrollctl -l user -d 'Use the calling user\'s daemon'
complete -c scrollctl -l socket -r -F -d 'Use the daemon at this socket'
complete -c scrollctl -l no-color -d 'Print without colors'
complete -c scrollctl -s h -l help -d 'Show help for the program or for a verb'
complete -c scrollctl -l version -d 'Show the version'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a demo -d 'See what scrolld does in a few seconds'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a list -d 'List the clients with open sessions, and their toolbars'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a status -d 'Show the state of a client, now or in the past'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'Explain why the toolbar is shown or hidden, and what would change that'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a watch -d 'Show each change of a toolbar as it happens, and why'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a log -d 'Show the log\'s records: of a session, of a client, or all'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a record -d 'Send recordings to the daemon, as a client with a scroll view would'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a scroll-to -d 'Ask a client to scroll, and report its answer'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a fold -d 'Print the transitions of recordings under a policy, one per line'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a compare -d 'Show where policies differ on recordings'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a timeline -d 'Draw a session over time: the content offset, and what the toolbar did'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a check -d 'List what looks wrong in recordings, and what the feeder should send'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a convert -d 'Make a recording of a table of offsets, or of a recording of rrweb'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a policies -d 'List the policies and their parameters'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a statistics -d 'Show what the daemon has done since it started, and its current state'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a reload -d 'Reload the daemon\'s configuration'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a sync -d 'Sync the daemon\'s log to disk'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a rotate -d 'Start a new segment of the daemon\'s log'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a vacuum -d 'Remove the oldest part of the daemon\'s log'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a forget -d 'Forget a session, or all sessions of a client, for good'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a forgotten -d 'List what was forgotten, without readable names'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a backup -d 'Copy the log to a directory, while the daemon runs'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a restore -d 'Restore a backup, without what was forgotten since'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a export -d 'Write sessions of the daemon\'s log as recordings'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a import -d 'Import recordings into the daemon\'s log as they were recorded'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a verify -d 'Check the log in a state directory, without a daemon'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a repair -d 'Set the damaged part of a log aside, so that a daemon can start again'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a help -d 'Show help'
complete -c scrollctl -n '__fish_seen_subcommand_from demo' -l speed -x -d 'Playback speed, as a multiple of the recorded one [1.5]'
complete -c scrollctl -n '__fish_seen_subcommand_from demo' -F
complete -c scrollctl -n '__fish_seen_subcommand_from list' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -l at -x -d 'The state after this position, or at a time such as “10 min ago”'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l at -x -d 'The state after this position, or at a time such as “10 min ago”'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l policy -x -a '(__scrollctl_policies)' -d 'Use this policy (see “policies”)'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l set -x -d 'Set a parameter of the policy; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l config -r -F -d 'Add the policies of this scrolld.conf and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -F
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -l after -x -d 'Start after this position of the log'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -l frames -d 'Show the state after every event as well'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -l after -x -d 'Start after this position of the log'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -s f -l follow -d 'Continue with new records, until Ctrl-C'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -s n -l limit -x -d 'Show at most N records'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l client -x -a '(__scrollctl_clients)' -d 'Use this client name instead of the recording\'s'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l session -x -d 'Continue this session, or start it: 32 hexadecimal digits'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l speed -x -d 'Replay N times as fast as recorded [without pauses]'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -F
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -l wait -x -d 'How long to wait for the client\'s answer; 0 to not wait [5]'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -a 'top bottom page'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l policy -x -a '(__scrollctl_policies)' -d 'Use this policy (see “policies”)'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l set -x -d 'Set a parameter of the policy; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l config -r -F -d 'Add the policies of this scrolld.conf and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -F
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l policy -x -a '(__scrollctl_policies)' -d 'A policy to compare; give two or more'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l set -x -d 'Set a parameter of the policy; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l config -r -F -d 'Add the policies of this scrolld.conf and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l expect-same -d 'Exit with status 1 if the policies differ anywhere'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -F
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l policy -x -a '(__scrollctl_policies)' -d 'Draw a band for this policy; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l set -x -d 'Set a parameter of the policy; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l config -r -F -d 'Add the policies of this scrolld.conf and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l width -x -d 'The width in columns, or in points for --svg'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l svg -r -F -d 'Write an SVG file; - is standard output'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -F
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from check' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from check' -F
complete -c scrollctl -n '__fish_seen_subcommand_from check' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l from -x -a 'csv tsv rrweb json-lines' -d 'The file\'s format [what it looks like]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l columns -x -d 'The columns of the fields, by heading or by number from 1; for json-lines by name, such as y=data.top'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l time-unit -x -a 's ms us ns' -d 'The unit of times that are numbers [ms]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l start -x -d 'Times count from this moment [1970]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l content-height -x -d 'The content\'s height in points, unless the file has it'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l content-width -x -d 'The content\'s width in points, unless the file has it'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l frame-height -x -d 'The viewport\'s height in points, unless the file has it'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l frame-width -x -d 'The viewport\'s width in points, unless the file has it'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l id -x -d 'For rrweb: the node that scrolls, such as a pane [the document]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l pause -x -d 'Scrolling ends when nothing moves for so long; 0 for never [200ms]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l client -x -a '(__scrollctl_clients)' -d 'The client\'s name [the file\'s name without its ending]'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l title -x -d 'The title of what was scrolled'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -l skip-bad -d 'Leave out lines that cannot be read, instead of converting nothing'
complete -c scrollctl -n '__fish_seen_subcommand_from convert' -F
complete -c scrollctl -n '__fish_seen_subcommand_from policies' -l config -r -F -d 'Add the policies of this scrolld.conf and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from statistics' -l format -x -a 'text openmetrics' -d 'The format: text, or OpenMetrics for Prometheus [text]'
complete -c scrollctl -n '__fish_seen_subcommand_from vacuum' -l max-use -x -d 'Remove files until the log takes at most SIZE, such as 500M'
complete -c scrollctl -n '__fish_seen_subcommand_from vacuum' -l max-age -x -d 'Remove files older than SPAN, such as 1month'
complete -c scrollctl -n '__fish_seen_subcommand_from forget' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from forget' -l from -x -d 'Forget what this list says was forgotten; “-” reads standard input'
complete -c scrollctl -n '__fish_seen_subcommand_from forget' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from forgotten' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from backup' -s D -l directory -x -d 'Copy from this state directory, which no daemon uses'
complete -c scrollctl -n '__fish_seen_subcommand_from backup' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from restore' -s D -l directory -x -d 'Restore to this state directory, which no daemon uses'
complete -c scrollctl -n '__fish_seen_subcommand_from restore' -l list -x -d 'Leave out what this list says was forgotten, too; repeatable'
complete -c scrollctl -n '__fish_seen_subcommand_from restore' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l since -x -d 'Only sessions with a record received then or later'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l until -x -d 'Only sessions with a record received then or earlier'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l output -x -a '(__fish_complete_directories)' -d 'Write a file per session to this directory'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l flat -d 'Add the client and the session to each line, for tables'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l damaged -d 'Also export what is left of sessions that lost events where the log is damaged'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l uid -x -d 'The client of this user'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -l prefix -x -d 'Put this before each client\'s name, such as HOST/'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -l again -d 'Import as new sessions with new ids, even if they are in the log already'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -l no-same-owner -d 'Make all sessions yours, although you are root and the recordings name other users'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -F
complete -c scrollctl -n '__fish_seen_subcommand_from verify' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from repair' -l dry-run -d 'Only report what the repair would do'
complete -c scrollctl -n '__fish_seen_subcommand_from repair' -a '(__fish_complete_directories)'
