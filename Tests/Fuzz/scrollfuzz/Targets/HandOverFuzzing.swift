import JSON
import Varlink

@testable import ScrollService

/// Any bytes, read as the state of a connection. An accepted state is written back byte for byte; its wire, once resumed, can
/// be suspended again unchanged, and can be finished.
enum HandOverFuzzing: Fuzzing {
  private static let maximumMessageSize = 1 << 20

  static func check(_ input: UnsafeRawBufferPointer) throws {
    let state: ConnectionState
    do throws(HandOverError) {
      state = try ConnectionState(input)
    } catch {
      hold(!error.description.isEmpty, "a refusal has a reason")
      return
    }
    var writer = StateWriter()
    state.write(to: &writer)
    hold(writer.bytes.elementsEqual(input), "a state is written back unchanged")
    finish(state.wire)
  }

  /// Ends the stream and answers the waiting calls of a connection.
  private static func finish(_ wire: SuspendedConnection) {
    let (connection, stream) = ServerConnection.resume(wire, maximumMessageSize: maximumMessageSize)
    hold(connection.suspended() == wire, "a resumed connection is suspended unchanged")
    hold((stream != nil) == wire.isStreaming, "a stream continues if there was one")
    if let stream { hold(connection.reply(stream) == .ended, "the stream accepts its end") }
    let parser = JSONParser()
    var calls = 0
    while connection.nextCall(
      using: parser,
      { call throws(VarlinkError) in
        connection.reply(call.token)
        return .mayFollow
      })
    {
      calls += 1
    }
    hold(calls <= wire.input.count { $0 == 0 }, "there are no more calls than were sent")
    let begins = connection.withUnsafeOutput { $0.prefix(wire.output.count).elementsEqual(wire.output) }
    hold(begins, "the remaining output comes first")
    hold(connection.suspended() != nil || connection.violation != nil, "no call is left")
  }
}
