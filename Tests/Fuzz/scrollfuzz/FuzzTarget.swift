/// The fuzz targets, by their names on the command line and of their corpora.
enum FuzzTarget: String, CaseIterable {
  case message
  case event
  case recording
  case block
  case packed
  case configuration
  case fold
  case interface
  case handover

  /// The function that libFuzzer calls with each input. C takes no closures with context, so each target has its own.
  var callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 {
    switch self {
    case .message: { MessageFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .event: { EventFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .recording: { RecordingFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .block: { BlockFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .packed: { PackedFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .configuration: { ConfigurationFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .fold: { FoldFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .handover: { HandOverFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    case .interface: { InterfaceFuzzing.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
    }
  }
}
