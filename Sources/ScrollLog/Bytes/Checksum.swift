// XXH3-64, the log's checksum.

import CXXHash

/// The log's checksum, XXH3-64.
enum Checksum {
  /// The checksum of bytes, seeded so that what belongs to another segment never fits.
  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }
}
