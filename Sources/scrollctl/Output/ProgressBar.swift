import Platform

/// The progress of an operation that may take longer than a second, as a bar on standard error. Shown only on a terminal, and
/// only once the operation has taken a second.
///
///     export [################----------------]  50 %  271,000 of 542,000 records
final class ProgressBar {
  private static let firstShown: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(100)
  private static let cells = 32
  private static let stepsBetweenLooks: Int64 = 256

  private let title: String
  private var unit: String
  private let now: () -> ContinuousClock.Instant
  private let draw: ((String) -> Void)?
  private var due: ContinuousClock.Instant
  private(set) var isShown = false
  private var nextLook = stepsBetweenLooks
  private lazy var isBesideOutput = BorrowedDescriptor.standardOutput.isTerminal
  /// How much there is to do; `nil` when unknown.
  var total: Int64?

  /// Creates the bar of an operation on standard error.
  ///
  /// - Parameter unit: What is counted, in the plural: `records`; for `bytes`, sizes are shown.
  convenience init(_ title: String, of total: Int64? = nil, _ unit: String) {
    let line = ProgressLine()
    self.init(title, of: total, unit, now: { .now }, draw: line.isShown ? { line.show($0) } : nil)
  }

  /// Creates a bar that `draw` shows; nothing is shown when it is `nil`.
  init(
    _ title: String, of total: Int64?, _ unit: String, now: @escaping () -> ContinuousClock.Instant,
    draw: ((String) -> Void)?
  ) {
    self.title = title
    self.unit = unit
    self.total = total
    self.now = now
    self.draw = draw
    due = now() + Self.firstShown
  }

  deinit { clear() }

  /// Shows how much is done.
  func update(_ done: Int64) {
    guard let draw else { return }
    let now = now()
    guard now >= due else { return }
    due = now + Self.interval
    isShown = true
    draw(text(done))
  }

  /// Begins to count something else, as another part of the same operation.
  func restart(_ unit: String) {
    self.unit = unit
    total = nil
    nextLook = Self.stepsBetweenLooks
  }

  /// Shows how much is done, for operations that count to millions: a look at the clock would take longer than a step.
  func updateNowAndThen(_ done: Int64) {
    guard done >= nextLook else { return }
    nextLook = done + Self.stepsBetweenLooks
    update(done)
  }

  /// Removes the bar if standard output is a terminal too.
  func clearForOutput() { if isBesideOutput { clear() } }

  /// Removes the bar, for output to the same terminal. The next update shows it again.
  func clear() {
    guard isShown else { return }
    isShown = false
    due = min(due, now())
    draw?("")
  }

  private func text(_ done: Int64) -> String {
    guard let total, total > 0 else { return "\(title)  \(amount(done)) \(isSize ? "" : unit)".trimmed }
    let share = min(1, max(0, Double(done) / Double(total)))
    let filled = Int(share * Double(Self.cells))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.cells - filled)
    let percent = String(Int(share * 100))
    let padding = String(repeating: " ", count: 3 - percent.count)
    return "\(title) [\(bar)] \(padding)\(percent) %  \(amount(done)) of \(amount(total)) \(isSize ? "" : unit)".trimmed
  }

  private var isSize: Bool { unit == "bytes" }

  private func amount(_ number: Int64) -> String { isSize ? ByteSize.text(number) : Self.grouped(number) }

  /// Returns a number with commas between thousands.
  static func grouped(_ number: Int64) -> String {
    var digits = Array(String(number))
    var index = digits.count - 3
    while index > (number < 0 ? 1 : 0) {
      digits.insert(",", at: index)
      index -= 3
    }
    return String(digits)
  }
}

extension String {
  fileprivate var trimmed: String { String(prefix(count - reversed().prefix { $0 == " " }.count)) }
}
