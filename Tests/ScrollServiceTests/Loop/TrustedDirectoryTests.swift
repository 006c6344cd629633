import Foundation
import Platform
import Testing

@testable import ScrollService

@Suite struct TrustedDirectoryTests {
  /// Two directories, one in the other.
  private final class Directories {
    let outer = "/tmp/scrolld-test-\(UUID().uuidString.prefix(8))"
    var inner: String { outer + "/inner" }

    init() throws { try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true) }

    deinit {
      do { try FileManager.default.removeItem(atPath: outer) } catch { Issue.record("\(error)") }
    }
  }

  /// The message of the check; `nil` when it passes.
  private func problem(_ path: String, sticky: Bool = false) throws -> String? {
    do {
      try TrustedDirectory.check(path, for: "the log", allowsSticky: sticky)
      return nil
    } catch let problem as TrustedDirectory.Problem {
      return problem.description
    }
  }

  @Test(arguments: [0o700, 0o755, 0o711] as [UInt32])
  func aDirectoryOfItsOwnIsTrusted(mode: UInt32) throws {
    let directories = try Directories()
    try Files.setPermissions(mode, of: directories.inner)
    #expect(try problem(directories.inner) == nil)
  }

  @Test(arguments: [0o777, 0o775, 0o702, 0o720, 0o1777] as [UInt32])
  func aDirectoryThatOthersCanWriteIsRefusedWithTheFix(mode: UInt32) throws {
    let directories = try Directories()
    try Files.setPermissions(mode, of: directories.inner)
    let expected =
      "cannot use \(directories.inner) for the log: other users can write to \(directories.inner); "
      + "run “chmod go-w \(directories.inner)”, or choose another directory"
    #expect(try problem(directories.inner) == expected)
  }

  @Test func aSocketMayBeInAStickyDirectoryOfEveryone() throws {
    let directories = try Directories()
    try Files.setPermissions(0o1777, of: directories.inner)
    #expect(try problem(directories.inner, sticky: true) == nil)
    try Files.setPermissions(0o777, of: directories.inner)
    #expect(try problem(directories.inner, sticky: true) != nil)
  }

  @Test func nobodyMayBeAbleToReplaceTheDirectory() throws {
    let directories = try Directories()
    try Files.setPermissions(0o777, of: directories.outer)
    #expect(try problem(directories.inner)?.contains("other users can write to \(directories.outer);") == true)
    // As in /tmp, nobody else can rename what is in it.
    try Files.setPermissions(0o1777, of: directories.outer)
    #expect(try problem(directories.inner) == nil)
  }

  @Test func theDirectoryBehindALinkCounts() throws {
    let directories = try Directories()
    let link = directories.outer + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directories.inner)
    #expect(try problem(link) == nil)
    try Files.setPermissions(0o777, of: directories.inner)
    #expect(try problem(link)?.contains("other users can write to \(directories.inner);") == true)
  }

  @Test(.enabled(if: CurrentProcess.effectiveUser == 0, "only root can give a directory away"))
  func aDirectoryOfAnotherUserIsRefused() throws {
    let directories = try Directories()
    for path in [directories.inner, directories.outer] {
      try FileManager.default.setAttributes([.ownerAccountID: 54321], ofItemAtPath: path)
      #expect(try problem(directories.inner)?.contains("\(path) belongs to user 54321") == true)
      try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
    }
  }
}
