import ScrollModel

/// The 128-bit name that the kernel gives to one run of the machine.
public struct BootID: Hashable, Sendable {
  /// The first 64 bits.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// A boot id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// No run of any machine: nobody has written to the log yet since it was copied.
  static let ofCopy = BootID(high: 0, low: 0)

  /// The present run of the machine, from `/proc/sys/kernel/random/boot_id`.
  ///
  /// - Throws: ``FileError`` when the kernel doesn't say it.
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
    // A boot id is written as 32 digits with hyphens, as a session's name is without them.
    guard let id = SessionID(digits) else { throw FileError(.read, path: path, code: .invalid) }
    return BootID(high: id.high, low: id.low)
  }
}
