// A toolbar in one process and its scroll view in another, across restarts of scrolld: an example of ScrollClient.
//
//   toolbar-example watch [CLIENT]           prints each change of a client's toolbar until its session closes
//   toolbar-example scroll CLIENT [COUNT]    scrolls down and up with COUNT events, then closes the session

import Glibc
import ScrollClient
import ScrollModel

func printLine(_ line: String) {
  print(line)
  // A pipe's reader gets each line at once.
  fflush(nil)
}

/// Prints what happens until a session closes.
func watch(_ client: String?) {
  var query = SubscriptionQuery()
  if let client { query.clients = [client] }
  for update in Watcher(query, at: .standard(), backoff: Backoff(cap: .seconds(1))) {
    switch update {
    case .connected(let position):
      printLine(position.map { "continues after \($0)" } ?? "starts with the current states")
    case .away(let error): printLine("away: \(error)")
    case .positionLost(let refusal): printLine("cannot continue: \(refusal)")
    case .refused(let refusal): printLine("refused: \(refusal)")
    case .reply(let reply):
      switch reply.content {
      case .opened(let opened): printLine("\(reply.position) opened \(opened.client)")
      case .state(let state): printLine("\(reply.position) is \(state.toolbar.name)")
      case .transition(let transition):
        printLine("\(reply.position) \(transition.state.toolbar.name) \(transition.changed.joined(separator: ","))")
      case .closed(let closed):
        printLine("\(reply.position) closed \(closed.client)")
        return
      case .caughtUp: printLine("\(reply.position) caught up")
      case .heartbeat: break
      }
    }
  }
}

/// Scrolls ten steps down, ten steps up, and so on.
func scroll(_ client: String, count: Int) throws {
  var options = Feed.Options(client: client)
  options.application = "toolbar-example"
  options.backoff = Backoff(cap: .seconds(1))
  let feeder = Feeder(options, at: .standard()) { update in
    switch update {
    case .opened(let opened): printLine("opened, continues with event \(opened.nextNumber)")
    case .appended: break
    case .away(let error): printLine("away: \(error)")
    case .refused(let refusal), .eventRefused(_, let refusal): printLine("refused: \(refusal)")
    case .sessionEnded(let session, let count): printLine("session \(session) ended, sending \(count) events again")
    case .takenBack(let count): printLine("the daemon lost \(count) events")
    }
  }
  for index in 0..<count {
    var event = Event(.scroll, at: .now)
    event.x = 0
    event.y = Double((index / 10).isMultiple(of: 2) ? index % 10 : 9 - index % 10) * 20
    try feeder.append([event])
  }
  try feeder.close()
  printLine("stored \(count) events")
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("watch", 1...2):
  watch(arguments.dropFirst().first)
case ("scroll", 2...3):
  guard let count = arguments.count == 3 ? Int(arguments[2]) : 40, count >= 0 else { fallthrough }
  do { try scroll(arguments[1], count: count) } catch {
    printLine("\(error)")
    exit(1)
  }
default:
  printLine("usage: toolbar-example watch [CLIENT] | scroll CLIENT [COUNT]")
  exit(2)
}
