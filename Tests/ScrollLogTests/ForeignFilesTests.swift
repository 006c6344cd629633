import Foundation
import Platform
import Testing

@testable import ScrollLog

/// Directories and links with names of the log's files.
@Suite final class ForeignFilesTests {
  private let folder: String
  private let fileSystem = POSIXFileSystem()
  private var log: String { folder + "/log/" }

  init() throws { folder = try Directory.makeTemporary(prefix: "/tmp/scrolld-foreign-") }
  deinit { Directory.removeTree(folder) }

  private func options() throws -> LogOptions { LogOptions(syncMode: .commit, boot: try BootID.current()) }

  private func open() throws {
    let opened = try EventLog.open(directory: folder, fileSystem: fileSystem, options: options())
    try opened.writer.stop()
  }

  private func repair(isDryRun: Bool) throws -> RepairReport {
    try LogRepair.run(directory: folder, fileSystem: fileSystem, options: options(), isDryRun: isDryRun)
  }

  /// It failed both the start and the repair, which named no way out.
  @Test func aDirectoryWithTheNameOfARepairedPartIsSetAside() throws {
    try open()
    let name = log + SegmentName.of(9) + ".repaired"
    _ = try fileSystem.makeDirectory(name)
    try open()
    #expect(Files.exists(name))
    let planned = try repair(isDryRun: true)
    #expect(Files.exists(name))
    let report = try repair(isDryRun: false)
    #expect(report.strays == planned.strays && report.strays.map(\.file) == [name])
    #expect(report.lines[0].hasSuffix("Set aside as \(name).stray-1. No record is lost with it."))
    #expect(!Files.exists(name) && Files.exists(name + ".stray-1"))
    try open()
  }

  @Test(arguments: [false, true]) func aDirectoryOrLinkWithTheNameOfASegmentIsSetAside(isLink: Bool) throws {
    try open()
    let name = log + SegmentName.of(9)
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: folder + "/elsewhere")
    } else {
      _ = try fileSystem.makeDirectory(name)
    }
    #expect(throws: OpenError.self) { try open() }
    let planned = try repair(isDryRun: true)
    #expect(try fileSystem.list(folder + "/log").contains(SegmentName.of(9)))
    let report = try repair(isDryRun: false)
    #expect(report.strays == planned.strays && report.strays.map(\.kept) == [name + ".stray-1"])
    #expect(report.lines[0].hasSuffix("Records in it, or where it leads to, are not read."))
    try open()
  }
}
