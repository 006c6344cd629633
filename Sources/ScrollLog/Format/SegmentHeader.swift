import ScrollModel

/// The header of a segment, of fixed size.
package struct SegmentHeader: Equatable {
  package static let size = 128
  static let formatVersion: UInt32 = 1
  /// `SCROLLOG` in the file.
  private static let magic: UInt64 = 0x474F_4C4C_4F52_4353
  /// The feature bit of a packed segment, which has blocks of columns, inner checkpoints and an index.
  private static let packed: UInt32 = 1

  /// Where the fields are, in bytes from the file's start.
  enum Offset {
    static let magic = 0
    static let version = 8
    static let length = 12
    static let identifier = 16
    static let generation = 24
    static let firstPosition = 32
    static let created = 40
    static let boot = 48
    static let syncMode = 64
    static let features = 72
    /// The checksum of everything before it.
    static let checksum = 120
  }

  /// Why a header is rejected.
  enum Problem: Error, Equatable {
    case notASegment
    case badChecksum
    case unknownVersion(UInt32)
    case unknownFeatures(UInt32)
  }

  /// A random number that seeds the checksums of all the segment's blocks.
  var identifier: UInt64
  /// The generation at the segment's first position.
  var generation: Generation
  /// The position of the segment's first record.
  var firstPosition: Position
  /// When the segment was created, microseconds since the Unix epoch.
  var created: Int64
  /// The boot in which the file was created.
  var boot: BootID
  /// The code of the ``SyncMode`` with which the file was created.
  var syncMode: UInt8
  /// Whether the segment is packed. A packed segment is sealed and never written to.
  var isPacked = false

  func encode(into writer: inout ByteWriter) {
    let start = writer.count
    writer.append(Self.magic)
    writer.append(Self.formatVersion)
    writer.append(UInt32(Self.size))
    writer.append(identifier)
    writer.append(generation)
    writer.append(firstPosition)
    writer.append(created)
    writer.append(boot.high.byteSwapped)
    writer.append(boot.low.byteSwapped)
    writer.append(syncMode)
    writer.appendZeros(Offset.features - (writer.count - start))
    writer.append(isPacked ? Self.packed : 0)
    writer.appendZeros(Offset.checksum - (writer.count - start))
    writer.append(writer.bytes.checksum(start, Offset.checksum, seed: 0))
  }

  /// Returns the identifier field from the first ``size`` bytes of a file, whether or not they are a header.
  static func storedIdentifier(_ bytes: Bytes) -> UInt64 {
    bytes.withBytes(Offset.identifier, MemoryLayout<UInt64>.size) {
      UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
    }
  }

  /// Reads a header of which a single bit is wrong: its checksum shows which one.
  ///
  /// - Parameter bytes: the first ``size`` bytes of a file. They have no other owner, and are changed only in the meantime.
  static func corrected(_ bytes: Bytes) -> SegmentHeader? {
    for bit in 0..<8 * size {
      let byte = (bytes.base + bit / 8).assumingMemoryBound(to: UInt8.self)
      let mask: UInt8 = 1 << UInt8(bit % 8)
      byte.pointee ^= mask
      defer { byte.pointee ^= mask }
      if let header = try? decode(bytes) { return header }
    }
    return nil
  }

  /// Reads a header from the first ``size`` bytes of a file.
  static func decode(_ bytes: Bytes) throws(Problem) -> SegmentHeader {
    var reader = ByteReader(bytes, from: 0, to: size)
    do {
      guard try reader.read(UInt64.self) == magic else { throw Problem.notASegment }
      let version: UInt32 = try reader.read()
      let length: UInt32 = try reader.read()
      var header = SegmentHeader(
        identifier: try reader.read(), generation: try reader.read(), firstPosition: try reader.read(),
        created: try reader.read(),
        boot: BootID(high: try reader.read(UInt64.self).byteSwapped, low: try reader.read(UInt64.self).byteSwapped),
        syncMode: try reader.read())
      _ = try reader.take(Offset.features - reader.offset)
      let features: UInt32 = try reader.read()
      _ = try reader.take(Offset.checksum - reader.offset)
      guard try reader.read(UInt64.self) == bytes.checksum(0, Offset.checksum, seed: 0) else {
        throw Problem.badChecksum
      }
      guard version == formatVersion, length == UInt32(size) else { throw Problem.unknownVersion(version) }
      guard features & ~packed == 0 else { throw Problem.unknownFeatures(features & ~packed) }
      header.isPacked = features & packed != 0
      guard header.firstPosition >= 1, header.firstPosition <= .max / 2, header.generation >= 1 else {
        throw Problem.notASegment
      }
      return header
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem.notASegment
    }
  }
}

extension SegmentHeader.Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .notASegment: "the file does not begin with a segment header"
    case .badChecksum: "the checksum of the segment's header is wrong"
    case .unknownVersion(let version): "the segment has format version \(version), which this program cannot read"
    case .unknownFeatures(let bits):
      "the segment uses features (\(String(bits, radix: 16))) that this program does not know"
    }
  }
}
