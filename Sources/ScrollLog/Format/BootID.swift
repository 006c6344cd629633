import ScrollModel

/// The 128-bit ID that the kernel gives to one boot of the machine.
public struct BootID: Hashable, Sendable {
  /// The first 64 bits.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// Creates a boot ID from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The ID of no boot at all: the log is a copy that no daemon has written to yet.
  static let ofCopy = BootID(high: 0, low: 0)

  /// Reads the ID of the current boot from `/proc/sys/kernel/random/boot_id`.
  ///
  /// - Throws: ``FileError`` when the file cannot be read or holds no boot ID.
  public static func current() throws(FileError) -> BootID {
    let path = "/proc/sys/kernel/random/boot_id"
    let file = try POSIXFileSystem().openForReading(path)
    var bytes = [UInt8](repeating: 0, count: 64)
    var result: Result<Int, FileError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      do throws(FileError) {
        result = .success(try file.read(at: 0, into: buffer))
      } catch {
        result = .failure(error)
      }
    }
    let count = try result.get()
    let digits = String(decoding: bytes.prefix(count).filter { $0 != 0x2D && $0 != 0x0A }, as: UTF8.self)
    // A boot ID is written like a session ID, but with hyphens.
    guard let id = SessionID(digits) else { throw FileError(.read, path: path, code: .invalidArgument) }
    return BootID(high: id.high, low: id.low)
  }
}
