# fish completion of scrollctl(1).
# Made from the table of verbs in Sources/scrollctl, tests see to that: change it there.

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

set -l verbs demo list status explain watch log record scroll-to fold compare timeline policies statistics reload sync rotate vacuum forget backup export import verify repair help
complete -c scrollctl -f
complete -c scrollctl -l json -d 'Print one JSON object a line, for programs'
complete -c scrollctl -l system -d 'Talk to the machine\'s daemon'
complete -c scrollctl -l user -d 'Talk to the daemon that is a service of yours'
complete -c scrollctl -l socket -r -F -d 'Talk to the daemon that listens there'
complete -c scrollctl -l no-color -d 'Print without colours'
complete -c scrollctl -s h -l help -d 'Show help, of the verb where one is given'
complete -c scrollctl -l version -d 'Show the version'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a demo -d 'Show in a few seconds what all this does'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a list -d 'List the clients with open sessions, and their toolbars'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a status -d 'Show the state of a client, now or as it was'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'Tell why the toolbar is as it is, and what would turn it'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a watch -d 'Show each change of a toolbar as it happens, and why'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a log -d 'Show the log\'s records: of a session, of a client, or all'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a record -d 'Send recordings to the daemon, as a client with a scroll view would'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a scroll-to -d 'Ask a client to scroll, and tell what it makes of that'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a fold -d 'Print what a policy makes of recordings, one line a transition'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a compare -d 'Show where policies make different things of recordings'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a timeline -d 'Draw a session over time: where the content stood, and what the toolbar did'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a policies -d 'List the policies and their parameters'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a statistics -d 'Show what the daemon has done since it started, and how it stands'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a reload -d 'Have the daemon read its configuration again'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a sync -d 'Have the daemon sync its log to disk'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a rotate -d 'Have the daemon begin a new segment of its log'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a vacuum -d 'Have the daemon remove the oldest part of its log'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a forget -d 'Have the daemon forget a session, or all of a client, for good'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a backup -d 'Copy the log into a directory, while the daemon runs'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a export -d 'Write sessions of the daemon\'s log as recordings'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a import -d 'Bring recordings into the daemon\'s log as they were'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a verify -d 'Check the log in a state directory, without a daemon'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a repair -d 'Set the damaged part of a log aside, so that a daemon can start again'
complete -c scrollctl -n "not __fish_seen_subcommand_from $verbs" -a help -d 'Show help'
complete -c scrollctl -n '__fish_seen_subcommand_from demo' -l speed -x -d 'Play it N times as fast as recorded (1.5)'
complete -c scrollctl -n '__fish_seen_subcommand_from demo' -F
complete -c scrollctl -n '__fish_seen_subcommand_from list' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -l at -x -d 'As it was after a position, or at a time such as “10 min ago”'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from status' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l at -x -d 'As it was after a position, or at a time such as “10 min ago”'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l policy -x -a '(__scrollctl_policies)' -d 'Fold with this policy (see “policies”)'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l set -x -d 'Change a parameter of the policy; may be repeated'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -l config -r -F -d 'Know the policies of this scrolld.conf, too, and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -F
complete -c scrollctl -n '__fish_seen_subcommand_from explain' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -l after -x -d 'What stands behind this position of the log'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -l frames -d 'Show the state after every event, too'
complete -c scrollctl -n '__fish_seen_subcommand_from watch' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -l after -x -d 'What stands behind this position of the log'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -s f -l follow -d 'Go on with what comes, until Ctrl-C'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -s n -l limit -x -d 'At most so many records'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from log' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l client -x -a '(__scrollctl_clients)' -d 'The client, whatever the recording says'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l session -x -d 'Go on with this session, or begin it: 32 hexadecimal digits'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -l speed -x -d 'In the recording\'s own time, N times as fast; without it at once'
complete -c scrollctl -n '__fish_seen_subcommand_from record' -F
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -l wait -x -d 'How long to wait for the client\'s answer [5]; 0 is not at all'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from scroll-to' -a 'top bottom page'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l policy -x -a '(__scrollctl_policies)' -d 'Fold with this policy (see “policies”)'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l set -x -d 'Change a parameter of the policy; may be repeated'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l config -r -F -d 'Know the policies of this scrolld.conf, too, and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -F
complete -c scrollctl -n '__fish_seen_subcommand_from fold' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l policy -x -a '(__scrollctl_policies)' -d 'A policy to compare; give two or more'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l set -x -d 'Change a parameter of the policy; may be repeated'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l config -r -F -d 'Know the policies of this scrolld.conf, too, and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l expect-same -d 'Exit with status 1 when any event makes a difference'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -F
complete -c scrollctl -n '__fish_seen_subcommand_from compare' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l policy -x -a '(__scrollctl_policies)' -d 'A band for this policy; may be repeated'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l set -x -d 'Change a parameter of the policy; may be repeated'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l config -r -F -d 'Know the policies of this scrolld.conf, too, and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l width -x -d 'How wide: columns, or points of the SVG'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l svg -r -F -d 'Write an SVG picture to this file; - is standard output'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -F
complete -c scrollctl -n '__fish_seen_subcommand_from timeline' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from policies' -l config -r -F -d 'Know the policies of this scrolld.conf, too, and of FILE.d/*.conf'
complete -c scrollctl -n '__fish_seen_subcommand_from statistics' -l format -x -a 'text openmetrics' -d 'How to print them: for people, or for Prometheus and its kin'
complete -c scrollctl -n '__fish_seen_subcommand_from vacuum' -l max-use -x -d 'Until the log takes at most this much, such as 500M'
complete -c scrollctl -n '__fish_seen_subcommand_from vacuum' -l max-age -x -d 'What is older than this, such as “2 weeks”'
complete -c scrollctl -n '__fish_seen_subcommand_from forget' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from forget' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from backup' -s D -l directory -x -d 'Copy the log in this state directory, on which no daemon runs'
complete -c scrollctl -n '__fish_seen_subcommand_from backup' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l since -x -d 'Sessions of which the daemon got something then or later'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l until -x -d 'Sessions of which the daemon got something then or earlier'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l output -x -a '(__fish_complete_directories)' -d 'A file for each session in this directory, instead of standard output'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -l uid -x -d 'The client of this user id'
complete -c scrollctl -n '__fish_seen_subcommand_from export' -a '(__scrollctl_clients)'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -l again -d 'As new sessions with ids of their own, though they may be in the log already'
complete -c scrollctl -n '__fish_seen_subcommand_from import' -F
complete -c scrollctl -n '__fish_seen_subcommand_from verify' -a '(__fish_complete_directories)'
complete -c scrollctl -n '__fish_seen_subcommand_from repair' -l dry-run -d 'Only tell what would be done'
complete -c scrollctl -n '__fish_seen_subcommand_from repair' -a '(__fish_complete_directories)'
