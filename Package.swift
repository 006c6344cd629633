// swift-tools-version: 6.0
// The targets of scrolld: C libraries, pure modules, and programs with little code of their own.

import PackageDescription

let package = Package(
  name: "scrolld",
  products: [
    .library(name: "ScrollModel", targets: ["ScrollModel"]),
    .library(name: "ScrollClient", targets: ["ScrollClient"]),
    .executable(name: "scrolld", targets: ["scrolld"]),
    .executable(name: "scrollctl", targets: ["scrollctl"]),
    .executable(name: "scrollbench", targets: ["scrollbench"]),
    .executable(name: "scroll-native-host", targets: ["scroll-native-host"]),
    .executable(name: "scroll-relay", targets: ["scroll-relay"]),
  ],
  targets: [
    // C libraries.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "CSimdJSON",
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CGcrypt", linkerSettings: [.linkedLibrary("gcrypt")]),

    // Events, state, policies and the fold. The target imports nothing, so it links the C library's mathematical
    // functions, which a debug build uses to round, itself.
    .target(name: "ScrollModel", linkerSettings: [.linkedLibrary("m")]),

    // Comparing policies, explaining decisions, drawing and measuring sessions, also without I/O.
    .target(
      name: "ScrollAnalysis", dependencies: ["ScrollModel"],
      resources: [
        .embedInCode("Report/Resources/report.css"),
        .embedInCode("Report/Resources/report.js"),
      ]),

    // The only target that makes system calls.
    .target(name: "Platform", dependencies: ["CLinux"]),

    // The log on disk.
    .target(name: "ScrollLog", dependencies: ["ScrollModel", "Platform", "CGcrypt", "CXXHash", "CZstd"]),

    // A JSON parser on top of simdjson, a writer, and the buffer that both use.
    .target(name: "JSON", dependencies: ["CSimdJSON", "Platform"]),

    // The wire protocol, which knows nothing about scrolling.
    .target(name: "Varlink", dependencies: ["JSON", "Platform"]),

    // The JSON form of events, states and recordings.
    .target(name: "ScrollJSON", dependencies: ["ScrollModel", "JSON"]),

    // Sessions, subscriptions, access control and the event loop.
    .target(
      name: "ScrollService",
      dependencies: [
        "ScrollModel", "ScrollLog", "ScrollJSON", "Varlink", "JSON", "Platform", "CSystemd", "CXXHash",
      ],
      resources: [
        .embedInCode("Interfaces/org.scrolld.Recorder.varlink"),
        .embedInCode("Interfaces/org.scrolld.Observer.varlink"),
        .embedInCode("Interfaces/org.scrolld.Manager.varlink"),
        .embedInCode("Interfaces/org.scrolld.Relay.varlink"),
      ]),

    // The library for feeders and subscribers.
    .target(name: "ScrollClient", dependencies: ["ScrollModel", "ScrollJSON", "Varlink", "JSON", "Platform"]),

    // What connects a browser's native messaging to the daemon, without I/O; and the program that a browser starts, which does it.
    .target(name: "NativeHost", dependencies: ["ScrollModel", "ScrollJSON", "Varlink", "JSON", "Platform"]),
    .executableTarget(
      name: "scroll-native-host", dependencies: ["NativeHost", "ScrollClient", "Varlink", "Platform"]),

    // Copying the log into PostgreSQL, exactly once.
    .target(
      name: "ScrollRelay",
      dependencies: [
        "ScrollService", "ScrollClient", "ScrollJSON", "ScrollModel", "Varlink", "JSON", "Platform", "CSystemd",
        "CPostgreSQL",
      ],
      resources: [
        .embedInCode("Schema/Resources/tables.sql"),
        .embedInCode("Schema/Resources/keys.sql"),
        .embedInCode("Schema/Resources/periods.sql"),
        .embedInCode("Schema/Resources/views.sql"),
        .embedInCode("Schema/Resources/reading.sql"),
        .embedInCode("Schema/Resources/runs.sql"),
        .embedInCode("Schema/Resources/roles.sql"),
        .embedInCode("Schema/Resources/row-security.sql"),
        .embedInCode("Schema/Resources/citus.sql"),
      ]),
    .executableTarget(
      name: "scroll-relay", dependencies: ["ScrollRelay", "ScrollService", "ScrollClient", "ScrollModel", "Platform"]),

    // Programs. scrollctl depends on scrolld, because `scrollctl demo` starts it.
    .executableTarget(name: "scrolld", dependencies: ["ScrollService", "Platform"]),
    .executableTarget(
      name: "scrollctl",
      dependencies: [
        "scrolld", "ScrollClient", "ScrollAnalysis", "ScrollService", "ScrollLog", "ScrollJSON", "ScrollModel",
        "JSON", "Platform", "CSQLite",
      ],
      resources: [.embedInCode("Resources/article-to-bottom.ndjson")]),
    .executableTarget(
      name: "scrollbench",
      dependencies: [
        "scrolld", "ScrollService", "ScrollJSON", "ScrollClient", "ScrollLog", "ScrollModel", "Varlink", "JSON",
        "Platform",
      ]),

    // The example in the documentation of the client library.
    .executableTarget(name: "toolbar-example", dependencies: ["ScrollClient", "ScrollModel"]),

    // Shared by several test targets: the recordings, scripted sessions and random sessions.
    .target(name: "ScrollTesting", dependencies: ["ScrollModel"], path: "Tests/ScrollTesting"),
    .testTarget(name: "ScrollModelTests", dependencies: ["ScrollModel", "ScrollTesting"]),
    .testTarget(name: "ScrollAnalysisTests", dependencies: ["ScrollAnalysis", "ScrollTesting"]),
    // A simulated disk that fails, tears writes and loses unsynced data on request.
    .target(name: "ScrollLogTesting", dependencies: ["ScrollLog", "Platform"], path: "Tests/ScrollLogTesting"),
    .testTarget(
      name: "ScrollLogTests", dependencies: ["ScrollLog", "Platform", "ScrollLogTesting", "ScrollTesting"],
      exclude: ["read_log.py", "read_snapshots.py"]),
    // Simulates crashes at every point of the log's work; Tests/Crashes/run runs it.
    .executableTarget(
      name: "scrollcrash", dependencies: ["ScrollLog", "ScrollModel", "Platform", "ScrollLogTesting", "ScrollTesting"],
      path: "Tests/Crashes", exclude: ["run"]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "ScrollTesting"]),
    .testTarget(name: "VarlinkTests", dependencies: ["Varlink", "JSON", "Platform", "ScrollTesting"]),
    .testTarget(name: "ScrollJSONTests", dependencies: ["ScrollJSON", "JSON", "ScrollTesting"]),
    // A fake daemon that replies as a test specifies.
    .target(
      name: "ScrollClientTesting", dependencies: ["ScrollClient", "Varlink", "JSON"], path: "Tests/ScrollClientTesting"),
    .testTarget(
      name: "ScrollClientTests",
      dependencies: ["ScrollClient", "JSON", "Platform", "ScrollClientTesting", "ScrollTesting"]),
    .testTarget(
      name: "NativeHostTests", dependencies: ["NativeHost", "Varlink", "JSON", "Platform", "ScrollModel"]),
    .testTarget(
      name: "scrollctlTests",
      dependencies: ["scrollctl", "Varlink", "JSON", "Platform", "ScrollTesting", "ScrollClientTesting"],
      exclude: ["Golden"]),
    // Tests against other implementations of Varlink; Tests/varlink-certification/certify runs it.
    .executableTarget(
      name: "varlink-certification", dependencies: ["Varlink", "JSON", "Platform"], path: "Tests/varlink-certification",
      exclude: ["certify"], resources: [.embedInCode("org.varlink.certification.varlink")]),
    .testTarget(
      name: "ScrollRelayTests", dependencies: ["ScrollRelay", "ScrollModel", "JSON", "ScrollTesting"]),
    .testTarget(
      name: "ScrollServiceTests",
      dependencies: [
        "ScrollService", "ScrollLog", "ScrollModel", "ScrollJSON", "Varlink", "JSON", "Platform", "CSystemd",
        "ScrollLogTesting", "ScrollTesting",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// The tests spend most of their time in these targets, which run several times faster when optimized, so debug builds optimize
// them. For a debugger, build with SCROLLD_UNOPTIMIZED=1. A package that depends on this one by version may not have such flags;
// SwiftPM puts its dependencies into a directory named "checkouts".
let isDependency = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
if !isDependency, Context.environment["SCROLLD_UNOPTIMIZED"] == nil {
  for target in package.targets where target.type == .regular {
    target.swiftSettings = [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}

// The inner loops of the daemon, and of what reads its log, read and change properties of classes. Debug builds, and so all tests,
// check at run time that no two changes of one overlap; in the programs that takes a tenth of the processor's time for each event.
let loops = ["ScrollLog", "ScrollService", "scrollctl"] + (isDependency ? [] : ["Varlink", "ScrollClient"])
for target in package.targets where loops.contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
}

// Fuzzing needs the runtime of clang's libFuzzer, which not every toolchain has. Tests/Fuzz/run finds it and sets this
// variable. The runtime is linked by its path, since the linker flag would add its `main` to every program of the package.
if let runtime = Context.environment["SCROLLD_FUZZER_RUNTIME"] {
  for target in package.targets where target.type == .regular {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]
    target.cxxSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
  }
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
    .executableTarget(
      name: "scrollfuzz",
      dependencies: [
        "CLibFuzzer", "ScrollModel", "ScrollLog", "ScrollJSON", "ScrollService", "Varlink", "JSON", "Platform",
        "ScrollTesting", "ScrollLogTesting",
      ],
      path: "Tests/Fuzz/scrollfuzz",
      linkerSettings: [.unsafeFlags([runtime]), .linkedLibrary("stdc++")]),
  ]
}
