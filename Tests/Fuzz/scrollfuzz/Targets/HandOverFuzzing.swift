// What one daemon leaves the next one of a connection.

import JSON
import Varlink

@testable import ScrollService

/// Reads a connection's state. What is taken is written again byte for byte; its wire, resumed, can be suspended again as
/// it is, and goes on to its end.
enum HandOverFuzzing: Fuzzing {
  private static let maximumMessageSize = 1 << 20

  static func check(_ input: UnsafeRawBufferPointer) throws {
    let state: ConnectionState
    do throws(HandOverError) {
      state = try ConnectionState(input)
    } catch {
      hold(!error.description.isEmpty, "a refusal says why")
      return
    }
    var writer = StateWriter()
    state.write(to: &writer)
    hold(writer.bytes.elementsEqual(input), "a state comes back the same")
    goOn(with: state.wire)
  }

  /// Ends the stream and answers the calls that wait in a connection.
  private static func goOn(with wire: SuspendedConnection) {
    let (connection, stream) = ServerConnection.resume(wire, maximumMessageSize: maximumMessageSize)
    hold(connection.suspended() == wire, "a resumed connection is suspended as it was")
    hold((stream != nil) == wire.isStreaming, "a stream goes on if there was one")
    if let stream { hold(connection.reply(stream) == .ended, "the stream's end is taken") }
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
    hold(calls <= wire.input.count { $0 == 0 }, "no call that nobody sent")
    let begins = connection.withUnsafeOutput { $0.prefix(wire.output.count).elementsEqual(wire.output) }
    hold(begins, "what was to be sent comes first")
    hold(connection.suspended() != nil || connection.violation != nil, "nothing is left to be answered")
  }
}
