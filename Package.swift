// swift-tools-version: 6.0
// What scrolld is made of: C doors to Debian's libraries, pure modules, and three thin programs.

import PackageDescription

let package = Package(
  name: "scrolld",
  products: [
    .library(name: "ScrollModel", targets: ["ScrollModel"]),
    .library(name: "ScrollClient", targets: ["ScrollClient"]),
    .executable(name: "scrolld", targets: ["scrolld"]),
    .executable(name: "scrollctl", targets: ["scrollctl"]),
    .executable(name: "scrollbench", targets: ["scrollbench"]),
  ],
  targets: [
    // C doors.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(
      name: "CSimdJSON",
      linkerSettings: [.linkedLibrary("simdjson")]),

    // Pure: events, state, policies, the fold.
    // It imports nothing, so nothing else would link the C library's mathematics that a debug build rounds with.
    .target(name: "ScrollModel", linkerSettings: [.linkedLibrary("m")]),

    // Policies compared, decisions explained, sessions drawn: as pure as the model.
    .target(name: "ScrollAnalysis", dependencies: ["ScrollModel"]),

    // The only target that calls the system.
    .target(name: "Platform", dependencies: ["CLinux"]),

    // The log on disk.
    .target(name: "ScrollLog", dependencies: ["ScrollModel", "Platform", "CXXHash", "CZstd"]),

    // JSON texts: a reader over simdjson, a writer, and the buffer that both use.
    .target(name: "JSON", dependencies: ["CSimdJSON", "Platform"]),

    // The wire protocol, which knows nothing about scrolling.
    .target(name: "Varlink", dependencies: ["JSON", "Platform"]),

    // Events, states and recordings in their JSON form.
    .target(name: "ScrollJSON", dependencies: ["ScrollModel", "JSON"]),

    // Sessions, subscriptions, access, the loop.
    .target(
      name: "ScrollService",
      dependencies: [
        "ScrollModel", "ScrollLog", "ScrollJSON", "Varlink", "JSON", "Platform", "CSystemd", "CXXHash",
      ],
      resources: [
        .embedInCode("Interfaces/org.scrolld.Recorder.varlink"),
        .embedInCode("Interfaces/org.scrolld.Observer.varlink"),
        .embedInCode("Interfaces/org.scrolld.Manager.varlink"),
      ]),

    // What feeders and subscribers link.
    .target(name: "ScrollClient", dependencies: ["ScrollModel", "ScrollJSON", "Varlink", "JSON", "Platform"]),

    // Programs. scrollctl depends on scrolld so that building the one builds the other: `scrollctl demo` starts it.
    .executableTarget(name: "scrolld", dependencies: ["ScrollService", "Platform"]),
    .executableTarget(
      name: "scrollctl",
      dependencies: [
        "scrolld", "ScrollClient", "ScrollAnalysis", "ScrollService", "ScrollLog", "ScrollJSON", "ScrollModel",
        "JSON", "Platform",
      ],
      resources: [.embedInCode("Resources/article-to-bottom.ndjson")]),
    .executableTarget(
      name: "scrollbench",
      dependencies: [
        "scrolld", "ScrollService", "ScrollJSON", "ScrollClient", "ScrollLog", "ScrollModel", "Varlink", "JSON",
        "Platform",
      ]),

    // An example of the client library, shown in its documentation.
    .executableTarget(name: "toolbar-example", dependencies: ["ScrollClient", "ScrollModel"]),

    // What several test targets share: the recordings, stories told in events, random sessions.
    .target(name: "ScrollTesting", dependencies: ["ScrollModel"], path: "Tests/ScrollTesting"),
    .testTarget(name: "ScrollModelTests", dependencies: ["ScrollModel", "ScrollTesting"]),
    .testTarget(name: "ScrollAnalysisTests", dependencies: ["ScrollAnalysis", "ScrollTesting"]),
    // A disk that fails, tears and forgets at will.
    .target(name: "ScrollLogTesting", dependencies: ["ScrollLog", "Platform"], path: "Tests/ScrollLogTesting"),
    .testTarget(
      name: "ScrollLogTests", dependencies: ["ScrollLog", "Platform", "ScrollLogTesting", "ScrollTesting"],
      exclude: ["read_log.py", "read_snapshots.py"]),
    // Breaks the log in every way that a machine may; the script beside it runs it.
    .executableTarget(
      name: "scrollcrash", dependencies: ["ScrollLog", "ScrollModel", "Platform", "ScrollLogTesting", "ScrollTesting"],
      path: "Tests/Crashes", exclude: ["run"]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "ScrollTesting"]),
    .testTarget(name: "VarlinkTests", dependencies: ["Varlink", "JSON", "Platform", "ScrollTesting"]),
    .testTarget(name: "ScrollJSONTests", dependencies: ["ScrollJSON", "JSON", "ScrollTesting"]),
    // A daemon that answers as a test says.
    .target(
      name: "ScrollClientTesting", dependencies: ["ScrollClient", "Varlink", "JSON"], path: "Tests/ScrollClientTesting"),
    .testTarget(name: "ScrollClientTests", dependencies: ["ScrollClient", "JSON", "Platform", "ScrollClientTesting"]),
    .testTarget(
      name: "scrollctlTests",
      dependencies: ["scrollctl", "Varlink", "JSON", "Platform", "ScrollTesting", "ScrollClientTesting"],
      exclude: ["Golden"]),
    // Tried against other implementations of Varlink by the script beside it.
    .executableTarget(
      name: "varlink-certification", dependencies: ["Varlink", "JSON", "Platform"], path: "Tests/varlink-certification",
      exclude: ["certify"], resources: [.embedInCode("org.varlink.certification.varlink")]),
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

// Fuzzing needs the runtime of clang's libFuzzer, which not every toolchain has; Tests/Fuzz/run finds it and names it here.
// Linked by name, since the flag that links it would give every other program of the package its main as well.
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
