// A toolbar in one process and its scroll view in another: an example of ScrollClient, which outlives restarts of
// scrolld.
//
//   toolbar-example watch [CLIENT]           prints each change of a client's bar, until it is closed
//   toolbar-example scroll CLIENT [COUNT]    scrolls a page down and up again, COUNT events, and closes it

import Glibc
import ScrollClient
import ScrollModel

/// The time by the wall clock, microseconds since the Unix epoch.
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}

func say(_ line: String) {
  print(line)
  // Whoever reads a pipe sees each line as it comes, too.
  fflush(nil)
}

/// Draws what it is told until a session closes.
func watch(_ client: String?) {
  var query = SubscriptionQuery()
  if let client { query.clients = [client] }
  let watcher = Watcher(query, at: .standard(), backoff: Backoff(cap: .seconds(1)))
  while let news = watcher.next() {
    switch news {
    case .connected(let position): say(position.map { "goes on after \($0)" } ?? "begins with the present")
    case .away(let error): say("away: \(error)")
    case .placeLost(let refusal): say("can't go on, the present follows: \(refusal)")
    case .refused(let refusal): say("refused: \(refusal)")
    case .reply(let reply):
      switch reply.content {
      case .opened(let opened): say("\(reply.position) opened \(opened.client)")
      case .state(let state): say("\(reply.position) is \(state.toolbar.name)")
      case .transition(let transition):
        say("\(reply.position) \(transition.state.toolbar.name) \(transition.changed.joined(separator: ","))")
      case .closed(let closed):
        say("\(reply.position) closed \(closed.client)")
        return
      case .caughtUp: say("\(reply.position) caught up")
      case .heartbeat: break
      }
    }
  }
}

/// Scrolls down ten steps, up ten steps, and so on.
func scroll(_ client: String, count: Int) throws {
  var options = Feed.Options(client: client)
  options.application = "toolbar-example"
  options.backoff = Backoff(cap: .seconds(1))
  let feeder = Feeder(options, at: .standard()) { news in
    switch news {
    case .opened(let opened): say("opened, goes on with event \(opened.nextNumber)")
    case .appended: break
    case .away(let error): say("away: \(error)")
    case .refused(let refusal), .eventRefused(_, let refusal): say("refused: \(refusal)")
    case .sessionEnded(let session, let count): say("session \(session) ended, \(count) events are sent again")
    case .takenBack(let count): say("\(count) events are lost")
    }
  }
  for index in 0..<count {
    var event = Event(.scroll, time: now())
    event.x = 0
    event.y = Double((index / 10).isMultiple(of: 2) ? index % 10 : 9 - index % 10) * 20
    try feeder.append([event])
  }
  feeder.close()
  say("\(count) events are stored")
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("watch", 1...2):
  watch(arguments.dropFirst().first)
case ("scroll", 2...3):
  guard let count = arguments.count == 3 ? Int(arguments[2]) : 40, count >= 0 else { fallthrough }
  do { try scroll(arguments[1], count: count) } catch {
    say("\(error)")
    exit(1)
  }
default:
  say("usage: toolbar-example watch [CLIENT] | scroll CLIENT [COUNT]")
  exit(2)
}
