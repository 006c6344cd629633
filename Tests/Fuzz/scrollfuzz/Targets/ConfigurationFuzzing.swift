import ScrollModel

@testable import ScrollService

/// Any bytes, read as a configuration: a file, and a drop-in after each NUL.
enum ConfigurationFuzzing: Fuzzing {
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let text = [UInt8](input)
    let found = read(text)
    switch found {
    case .failure(let error):
      hold(!error.reason.isEmpty, "a refusal has a reason")
      let lineCount = text.count(where: { $0 == 0x0A }) + 1
      hold(error.line.map { (1...lineCount).contains($0) } ?? true, "\(error) is one of \(lineCount) lines")
    case .success(let configuration):
      hold(configuration.policy(named: configuration.defaultPolicy) != nil, "the default policy exists")
      for section in configuration.policySections {
        var policy = section.policy
        for parameter in policy.parameters { try policy.set(parameter.name, to: parameter.value) }
        hold(policy == section.policy, "parameters are read back unchanged: \(policy)")
      }
    }
    // Lines may end with a carriage return and a newline.
    guard !text.contains(0x0D) else { return }
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    let other = read(Array(lines.joined(separator: [0x0D, 0x0A])))
    switch (found, other) {
    case (.success(let one), .success(let two)): hold(one == two, "carriage returns change nothing")
    case (.failure(let one), .failure(let two)): hold(one.line == two.line, "carriage returns: \(one), then \(two)")
    case (let one, let two): hold(false, "carriage returns: \(one), then \(two)")
    }
  }

  private static func read(_ text: [UInt8]) -> Result<Configuration, ConfigurationError> {
    do throws(ConfigurationError) {
      var builder = ConfigurationBuilder()
      for (index, part) in text.split(separator: 0, omittingEmptySubsequences: false).enumerated() {
        try builder.add(ConfigurationFile(path: "\(index).conf", text: Array(part)))
      }
      return .success(try builder.finish())
    } catch {
      return .failure(error)
    }
  }
}
