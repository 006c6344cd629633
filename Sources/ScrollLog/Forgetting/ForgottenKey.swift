import CGcrypt
import ScrollModel

/// The secret with which the names of forgotten clients are hashed (HMAC-SHA256), so that a list of them can't be read, and
/// names can't be guessed by those who have the list alone.
public struct ForgottenKey: Equatable, Sendable {
  /// The size of a key, and of a hash, in bytes.
  static let size = 32

  /// The name of the key, 16 hexadecimal digits, which doesn't reveal it.
  public let id: String
  private let bytes: [UInt8]

  /// Creates a key from its bytes; `nil` for any other number of bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
    id = String(Self.hash(Array("scrolld: the id of a key".utf8), with: bytes).prefix(16))
  }

  /// Creates a random key.
  static func random() -> ForgottenKey {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    // The number of bytes is right.
    return ForgottenKey(bytes) ?? random()
  }

  /// The key as text, to be kept secret.
  var digits: String { Hexadecimal.digits(of: bytes) }

  /// Returns the hash of a client's name, 64 hexadecimal digits.
  func hash(of name: ClientName) -> String { Self.hash(Array(name.text.utf8), with: bytes) }

  private static func hash(_ text: [UInt8], with key: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: size)
    let isDone = cgcrypt_hmac_sha256(&digest, key, key.count, text, text.count)
    // It fails only if the library lacks SHA-256 or memory, and no other value may pass for the hash.
    precondition(isDone != 0, "libgcrypt has no HMAC-SHA256")
    return Hexadecimal.digits(of: digest)
  }
}

/// The keys of a state directory. There are several if backups of other state directories were restored to it.
public struct ForgottenKeys: Equatable, Sendable {
  /// The key that hashes new names.
  public let current: ForgottenKey
  private(set) var older: [ForgottenKey] = []

  init(_ current: ForgottenKey, older: [ForgottenKey] = []) {
    self.current = current
    for key in older { add(key) }
  }

  var all: [ForgottenKey] { [current] + older }

  mutating func add(_ key: ForgottenKey) {
    if !all.contains(key) { older.append(key) }
  }

  /// Returns the key with a name; `nil` when it is unknown here.
  func named(_ id: String) -> ForgottenKey? { all.first { $0.id == id } }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
  static func digits(of bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads pairs of digits; `nil` for anything else.
  static func bytes(of text: some StringProtocol) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
