import Foundation
import Testing

@testable import ScrollService

@Suite struct ConfigurationReaderTests {
  /// A temporary directory with files, given as a table of paths and texts.
  private final class Directories {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("scrolld-test-\(UUID().uuidString)")

    init(_ files: [String: String]) throws {
      for (path, text) in files {
        let file = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
    }

    deinit {
      do {
        try FileManager.default.removeItem(at: root)
      } catch {
        Issue.record("\(error)")
      }
    }

    func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// Reads the files as the daemon does, from three directories in order.
    var reader: ConfigurationReader { ConfigurationReader(searchPath: ["etc", "run", "usr"].map(path)) }
  }

  private static let noFile = "not a regular file or a link to /dev/null"

  @Test(.timeLimit(.minutes(1)))
  func aFIFOIsRefusedAtOnce() throws {
    let directories = try Directories(["etc/scrolld.conf": "", "etc/scrolld.conf.d/b.conf": ""])
    let path = directories.path("etc/scrolld.conf.d/a.conf")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: ConfigurationError(file: path, reason: Self.noFile)) { try directories.reader.read() }
  }

  @Test func withoutFilesTheDefaultsApply() throws {
    #expect(try ConfigurationReader(searchPath: ["/nonexistent/scrolld"]).read() == Configuration())
  }

  @Test func theFirstExistingMainFileIsTheOnlyOneRead() throws {
    let directories = try Directories([
      "run/scrolld.conf": "[Log]\nSync=interval\n",
      "usr/scrolld.conf": "[Log]\nSync=never\nSegmentSize=1M\n",
    ])
    let read = try directories.reader.read()
    #expect(read.sync == .interval)
    #expect(read.segmentSize == Configuration().segmentSize)
  }

  @Test func dropInsComeAfterTheMainFileSortedByNameOverAllDirectories() throws {
    let directories = try Directories([
      "etc/scrolld.conf": "[Limits]\nConnectionsMax=1\n",
      "usr/scrolld.conf.d/30-c.conf": "",
      "etc/scrolld.conf.d/20-b.conf": "",
      "run/scrolld.conf.d/10-a.conf": "",
      "etc/scrolld.conf.d/readme.txt": "no configuration",
      "usr/scrolld.conf.d/9-z.conf": "",
    ])
    #expect(
      try directories.reader.paths()
        == [
          "etc/scrolld.conf", "run/scrolld.conf.d/10-a.conf", "etc/scrolld.conf.d/20-b.conf",
          "usr/scrolld.conf.d/30-c.conf", "usr/scrolld.conf.d/9-z.conf",
        ].map(directories.path))
  }

  @Test func theLastAssignmentInThatOrderWins() throws {
    let directories = try Directories([
      "etc/scrolld.conf": "[Limits]\nConnectionsMax=1\n",
      "etc/scrolld.conf.d/10.conf": "[Limits]\nConnectionsMax=10\n",
      "usr/scrolld.conf.d/20.conf": "[Limits]\nConnectionsMax=20\n",
    ])
    #expect(try directories.reader.read().maximumConnections == 20)
  }

  @Test func aNameInAnEarlierDirectoryMasksTheLaterOnes() throws {
    let directories = try Directories([
      "etc/scrolld.conf.d/10.conf": "[Limits]\nConnectionsMax=10\n",
      "usr/scrolld.conf.d/10.conf": "[Limits]\nConnectionsMax=20\nOutputMax=1M\n",
      "run/scrolld.conf.d/20.conf": "",
      "usr/scrolld.conf.d/20.conf": "[Log]\nSync=never\n",
      "usr/scrolld.conf.d/30.conf": "[Log]\nSync=never\n",
    ])
    try FileManager.default.createSymbolicLink(
      atPath: directories.path("etc/scrolld.conf.d/30.conf"), withDestinationPath: "/dev/null")
    var expected = Configuration()
    expected.maximumConnections = 10
    #expect(try directories.reader.read() == expected)
  }

  @Test func anExplicitFileIsReadWithItsOwnDropIns() throws {
    let directories = try Directories([
      "my.conf": "[Limits]\nConnectionsMax=1\n",
      "my.conf.d/10.conf": "[Limits]\nOutputMax=1M\n",
    ])
    let read = try ConfigurationReader(file: directories.path("my.conf")).read()
    #expect(read.maximumConnections == 1)
    #expect(read.maximumOutput == 1 << 20)
  }

  @Test func anExplicitFileMustExist() {
    #expect(throws: ConfigurationError(file: "/nonexistent.conf", reason: "No such file or directory")) {
      try ConfigurationReader(file: "/nonexistent.conf").read()
    }
  }

  @Test func anUnreadableFileIsAnError() throws {
    let directories = try Directories(["usr/scrolld.conf": "[Log]\nSync=never\n", "etc/scrolld.conf/x": ""])
    #expect(throws: ConfigurationError(file: directories.path("etc/scrolld.conf"), reason: Self.noFile)) {
      try directories.reader.read()
    }
  }

  @Test func anErrorNamesTheFileThatHoldsIt() throws {
    let directories = try Directories([
      "etc/scrolld.conf": "[Log]\nSync=never\n", "run/scrolld.conf.d/50.conf": "[Log]\n\nSync=often\n",
    ])
    do {
      _ = try directories.reader.read()
      Issue.record("a bad configuration is read")
    } catch {
      #expect(error.file == directories.path("run/scrolld.conf.d/50.conf"))
      #expect(error.line == 3)
      #expect(error.key == "Sync")
    }
  }

  @Test func theFirstErrorOfTheFilesCountsTheOthersAndNamesTheCommandThatListsThem() throws {
    let text = "[Log]\nSync=often\nMaxUse=200%\nFoo=1\n[Policy p]\nRule=fancy\n"
    let directories = try Directories(["my.conf": text, "my.conf.d/10.conf": "[Log]\nBar=1\n"])
    let reader = ConfigurationReader(file: directories.path("my.conf"))
    let problems = reader.check().problems
    do throws(ConfigurationError) {
      _ = try reader.read(checkedBy: "scrolld --check-config")
      Issue.record("a bad configuration is read")
    } catch {
      #expect(error.line == 2 && error.key == "Sync")
      #expect(error.others == problems.count - 1 && error.others >= 4)
      #expect(error.check == "scrolld --check-config")
    }
  }
}
