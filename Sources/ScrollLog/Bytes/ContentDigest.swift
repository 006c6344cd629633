import ScrollModel

/// A 128-bit name for a content: equal contents have equal names, different ones practically never do. It does not
/// protect against collisions made on purpose.
public enum ContentDigest {
  private static let highSeed: UInt64 = 0x7363_726F_6C6C_6869
  private static let lowSeed: UInt64 = 0x7363_726F_6C6C_6C6F

  /// Returns the name of bytes.
  public static func of(_ bytes: UnsafeRawBufferPointer) -> SessionID {
    SessionID(high: Checksum.of(bytes, seed: highSeed), low: Checksum.of(bytes, seed: lowSeed))
  }

  /// Returns the name of a content that consists of two others.
  public static func of(_ first: SessionID, then second: SessionID) -> SessionID {
    let words = [first.high, first.low, second.high, second.low].map(\.littleEndian)
    return words.withUnsafeBytes { of($0) }
  }
}
