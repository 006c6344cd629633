import ScrollLog
import ScrollModel
import Varlink

/// The relays that follow the log: how many each user has, which wait for records, and what was forgotten.
///
/// It keeps the list of what was forgotten while there is a follower, since each of them has to leave the listed sessions out.
final class Followers {
  /// What was forgotten, and a name for it.
  struct Forgotten {
    let selection: ForgottenSelection
    /// Equal lists have equal names.
    let name: String

    init(_ list: ForgottenList, _ keys: ForgottenKeys?) {
      selection = ForgottenSelection(list, keys)
      var text = list.text
      name = text.withUTF8 { "\(ContentDigest.of(UnsafeRawBufferPointer($0)))" }
    }
  }

  /// How many calls to `Follow` a user may have; root is not limited.
  var limitPerUser: Int
  private(set) var forgotten: Forgotten?
  private var countByUser: [UInt32: Int] = [:]
  /// The connections whose streams have sent everything that is on the disk.
  private var waiting: [ConnectionID] = []
  private let history: History
  private let keys: ForgottenKeys?
  /// `nil` for a log without files.
  private let run: RunRegister?
  private let readList: () throws(ReadError) -> ForgottenList
  private let synced: () -> Position

  /// - Parameters:
  ///   - synced: Returns the last position that survives a power loss.
  ///   - readList: Reads the list of what was forgotten.
  init(
    _ history: History, limitPerUser: Int, keys: ForgottenKeys?, run: RunRegister? = nil,
    readList: @escaping () throws(ReadError) -> ForgottenList, synced: @escaping () -> Position
  ) {
    self.history = history
    self.limitPerUser = limitPerUser
    self.keys = keys
    self.run = run
    self.readList = readList
    self.synced = synced
  }

  var count: Int { countByUser.values.reduce(0, +) }

  /// The last position that may be sent: it is folded, and on the disk whatever `Sync=` says.
  var durable: Position { min(history.horizon.position, synced()) }

  // MARK: Runs

  /// Returns the id of this run of the daemon, after recording it; `nil` when it can't be recorded.
  func recordRun() -> SessionID? { run?.record() }

  /// Returns whether this log sent a place whose record it no longer has.
  ///
  /// - Throws: `LogDamaged` when the list of runs can't be read.
  func sent(_ place: FollowedRuns.Place) throws(VarlinkError) -> Bool {
    guard let run else { return true }
    do throws(ReadError) {
      return try run.includes(place, in: history.generations)
    } catch {
      throw history.report(error)
    }
  }

  // MARK: Beginning and end

  /// Begins to follow for a user.
  ///
  /// - Throws: `TooManyFollowers`, or `LogDamaged` when the list of what was forgotten can't be read.
  func begin(_ account: UInt32) throws(VarlinkError) {
    guard account == 0 || countByUser[account, default: 0] < limitPerUser else {
      throw ServiceError.tooManyFollowers(limit: limitPerUser)
    }
    let known = try knownForgotten()
    forgotten = known
    countByUser[account, default: 0] += 1
  }

  /// Ends what ``begin(_:)`` began.
  func end(_ account: UInt32, _ connection: ConnectionID) {
    let left = countByUser[account, default: 1] - 1
    countByUser[account] = left == 0 ? nil : left
    waiting.removeAll { $0 == connection }
    if countByUser.isEmpty { forgotten = nil }
  }

  // MARK: What was forgotten

  /// Returns what was forgotten, which is read unless there is a follower.
  ///
  /// - Throws: `LogDamaged` when the list can't be read.
  func knownForgotten() throws(VarlinkError) -> Forgotten {
    if let forgotten { return forgotten }
    do throws(ReadError) {
      return Forgotten(try readList(), keys)
    } catch {
      throw history.report(error)
    }
  }

  /// Takes over a list that was just written.
  func didForget(_ list: ForgottenList) {
    if !countByUser.isEmpty { forgotten = Forgotten(list, keys) }
  }

  // MARK: News

  /// Lets a stream wait until more is on the disk, or something was forgotten.
  func wait(_ connection: ConnectionID) {
    if !waiting.contains(connection) { waiting.append(connection) }
  }

  /// Removes and returns the connections whose streams wait.
  func takeWaiting() -> [ConnectionID] {
    defer { waiting.removeAll(keepingCapacity: true) }
    return waiting
  }
}
