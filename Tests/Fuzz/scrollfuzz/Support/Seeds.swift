import Foundation
import JSON
import ScrollJSON
import ScrollLogTesting
import ScrollModel
import Varlink

@testable import ScrollLog
@testable import ScrollService

/// The initial corpora, made from the project's recordings and files. Run it in the project's root.
enum Seeds {
  /// The recordings for the seeds, which have every kind of event.
  private static let recordings = ["S01", "S07", "X03", "X04", "X08"].map { "Tests/Fixtures/cases/\($0).ndjson" }

  /// Writes a directory of seeds for each target.
  static func write(to root: String) throws {
    for path in recordings {
      let name = String(path.split(separator: "/").last?.prefix(3) ?? "")
      let text = try read(path)
      let events = try RecordingReader.read(text).compactMap { line -> Event? in
        if case .event(let event) = line.1 { event } else { nil }
      }
      try put(text, "\(root)/recording/\(name)")
      try put([UInt8](repeating: 7, count: 8) + conversation(events), "\(root)/message/\(name)")
      try put(SegmentInput.describing(try segment(events)), "\(root)/block/\(name)")
      let (columns, index) = try packed(events)
      try put(columns, "\(root)/packed/\(name)")
      try put(index, "\(root)/packed/\(name)-index")
      try put(folded(events), "\(root)/fold/\(name)")
    }
    for (name, state) in handedOver {
      var writer = StateWriter()
      state.write(to: &writer)
      try put(writer.bytes, "\(root)/handover/\(name)")
    }
    for kind in Event.Kind.allCases { try put(text(full(kind)), "\(root)/event/\(kind.name)") }
    let configuration = String(decoding: try read("config/scrolld.conf"), as: UTF8.self)
    let assignments = configuration.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    try put(Array(assignments.filter { !$0.hasPrefix("#") }.joined(separator: "\n").utf8), "\(root)/configuration/all")
    let two = "[Log]\nSync=never\0[Log]\nSync=\n# a\n; b\nSegmentSize=\\\n# c\n 4M\n"
    try put(Array(two.utf8), "\(root)/configuration/two")
    for name in ["Recorder", "Observer", "Manager"] {
      let path = "Sources/ScrollService/Interfaces/org.scrolld.\(name).varlink"
      try put(try read(path), "\(root)/interface/\(name)")
    }
  }

  /// The states of a feeder, a subscriber and a client with a request, as one daemon leaves them to the next.
  private static var handedOver: [(name: String, state: ConnectionState)] {
    let session = SessionID(high: 1, low: 1)
    let call = Array("{\"method\":\"org.varlink.service.GetInfo\"}\0".utf8)
    let subscription = SubscriptionState(
      patterns: ["reader/*"], wantsFrames: true, seesEveryone: false, position: 7, generation: 1, isCatchingUp: true,
      owesCaughtUp: true, owedFrames: [session])
    let requests = RequestsState(
      session: session, hasBegun: true, sent: 9,
      unanswered: [.init(position: 8, request: ScrollRequest(time: 2, target: .offset(x: 0, y: 3)))])
    let feeder = ConnectionState(
      wire: SuspendedConnection(input: call + call.prefix(9), output: [123, 125, 0]), lastPosition: 7,
      ownedSessions: [session], gappedSessions: [session])
    let streaming = SuspendedConnection(isStreaming: true)
    return [
      ("feeder", feeder),
      ("subscriber", ConnectionState(wire: streaming, stream: .subscription(subscription))),
      ("requests", ConnectionState(wire: streaming, stream: .requests(requests))),
    ]
  }

  private static func conversation(_ events: [Event]) -> [UInt8] {
    var bytes: [UInt8] = []
    func call(_ method: String, _ flag: StaticString? = nil, _ parameters: (inout JSONWriter) -> Void) {
      bytes += JSONWriter.encode { writer in
        writer.beginObject()
        writer.member("method", method)
        if let flag { writer.member(flag, true) }
        writer.key("parameters")
        writer.beginObject()
        parameters(&writer)
        writer.endObject()
        writer.endObject()
      }
      bytes.append(0)
    }
    call("org.varlink.service.GetInfo") { _ in }
    call("org.varlink.service.GetInterfaceDescription") { $0.member("interface", "org.varlink.service") }
    call("org.scrolld.Recorder.Open") { $0.member("client", "reader/1") }
    call("org.scrolld.Observer.Subscribe", "more") { $0.member("clients", ["*"]) }
    call("org.scrolld.Recorder.Append", "oneway") { $0.member("events", Array(events.prefix(3))) }
    call("org.scrolld.Recorder.Append", "upgrade") { $0.member("number", 4) }
    return bytes
  }

  /// A segment with an opening, events, a request, its response and a closing, and another one that continues it.
  private static func segment(_ events: [Event]) throws -> [UInt8] {
    let fileSystem = FaultyFileSystem()
    let options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 1))
    let log = try EventLog.open(directory: "/s", fileSystem: fileSystem, options: options)
    let one = SessionID(high: 1, low: 1)
    let two = SessionID(high: 2, low: 2)
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    let client = ClientID(user: 1000, name: "reader/1")
    builder.append(Opening(client: client, time: 1, application: "a", title: "t", policy: .safari), of: one)
    builder.append(Opening(client: ClientID(user: 0, name: "b"), time: 1, policy: .classic), of: two)
    builder.beginRun(one, firstNumber: 1)
    for event in events.prefix(4) { builder.append(event) }
    builder.endRun()
    builder.append(ScrollRequest(time: 2, target: .offset(x: 0, y: 3)), of: one)
    builder.append(ScrollResponse(time: 3, request: 5, done: false, reason: "r"), of: one)
    builder.append(Closing(time: 4, reason: .asked), of: two)
    guard let block = builder.finish(received: 5) else { return [] }
    try log.writer.write(block)
    var observer = NoObserver()
    try log.projection.apply(block.view, observer: &observer)
    try log.writer.roll(log.projection.checkpoint())
    builder.beginRun(one, firstNumber: Int64(min(4, events.count)) + 1)
    for event in events.dropFirst(4).prefix(4) { builder.append(event) }
    builder.endRun()
    if let block = builder.finish(received: 6) { try log.writer.write(block) }
    try log.writer.stop()
    let second = try fileSystem.list("/s/log").max() ?? ""
    return fileSystem["/s/log/\(second)"] ?? []
  }

  /// The columns and the index of a packed segment with two sessions, as `PackedFuzzing` reads them.
  private static func packed(_ events: [Event]) throws -> (columns: [UInt8], index: [UInt8]) {
    let fileSystem = FaultyFileSystem()
    let options = LogOptions(syncMode: .never, boot: BootID(high: 0, low: 1))
    let log = try EventLog.open(directory: "/s", fileSystem: fileSystem, options: options)
    let ids = [SessionID(high: 1, low: 1), SessionID(high: 2, low: 2)]
    var observer = NoObserver()
    for (round, time) in [5, 1_700_000_000_000_000 as Int64].enumerated() {
      var builder = BlockBuilder(nextPosition: log.nextPosition, received: log.projection.received)
      for (user, id) in ids.enumerated() {
        let client = ClientID(user: UInt32(user), name: "reader")
        if round == 0 { builder.append(Opening(client: client, time: time, policy: .safari), of: id) }
        builder.beginRun(id, firstNumber: Int64(round * 8) + 1)
        for event in events.dropFirst(round * 8).prefix(8) { builder.append(event) }
        builder.endRun()
        builder.append(ScrollRequest(time: time, target: .offset(x: 0, y: 3)), of: id)
      }
      if round == 1 { builder.append(Closing(time: time, reason: .asked), of: ids[0]) }
      guard let block = builder.finish(received: time) else { continue }
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
    }
    try log.writer.roll(log.projection.checkpoint())
    _ = try log.upkeep.pack(1)
    let file = try fileSystem.openForReading("/s/log/" + SegmentName.of(1))
    let segment = try PackedSegment(file, try SegmentReading.header(of: file, firstPosition: 1))
    var writer = ByteWriter(capacity: 4096)
    writer.append(PackedFuzzing.Part.index.rawValue)
    PackedIndexCoding.append(segment.index, to: &writer)
    let index = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
    writer.truncate(to: 0)
    var scanner = SegmentScanner(
      file, identifier: segment.header.identifier, offset: segment.index.blocks.first?.offset ?? 0)
    guard case .block(let header, let bytes, let at) = try scanner.next() else { return ([], index) }
    let view = header.view(bytes, at: at)
    writer.append(PackedFuzzing.Part.columns.rawValue)
    writer.append(UInt32(header.recordCount))
    writer.append(header.received)
    bytes.withBytes(view.payload.lowerBound, view.payload.count) { writer.append($0) }
    return (writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }, index)
  }

  /// The default policy, no cut, and the events as `FoldFuzzing` reads them.
  private static func folded(_ events: [Event]) -> [UInt8] {
    var bytes: [UInt8] = [0, 0]
    func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    for event in events.prefix(24) {
      bytes.append(event.kind.rawValue)
      put(event.time)
      put(event.fields.rawValue)
      for field in Event.Field.allCases {
        if let flag = event[flag: field] { bytes.append(flag ? 1 : 0) }
        if field == .source, let source = event.source { bytes.append(source.rawValue) }
        guard let number = event[number: field] else { continue }
        bytes.append(1)
        put(number.bitPattern)
      }
    }
    return bytes
  }

  /// Returns an event with every field of its kind.
  private static func full(_ kind: Event.Kind) -> Event {
    var event = Event(kind, time: 1_700_000_000_000_000)
    for field in Event.Field.allCases where kind.allowedFields.contains(Event.FieldSet(field)) {
      event[number: field] = 12.5 + Double(field.rawValue)
      event[flag: field] = true
    }
    if kind.allowedFields.contains(Event.FieldSet(.source)) { event.source = .program }
    return event
  }

  private static func text(_ event: Event) -> [UInt8] { JSONWriter.encode { event.write(to: &$0) } }

  private static func read(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private static func put(_ bytes: [UInt8], _ path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }
}
