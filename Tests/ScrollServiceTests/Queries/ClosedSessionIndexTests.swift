import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ClosedSessionIndexTests {
  private func report(_ position: Position, _ client: String = "a") -> SessionReport {
    let opening = Opening(client: ClientID(user: 1, name: client), time: 1, policy: .safari)
    let session = Session(SessionID(high: 0, low: UInt64(position)), opening, position: position - 1, received: 1)
    return SessionReport(
      session, closing: (Closing(time: 2, reason: .asked), RecordPlace(position: position, received: 2)))
  }

  private func positions(_ index: ClosedSessionIndex) -> [Position] {
    var found: [Position] = []
    var after = index.start
    while let report = index.next(after: after) {
      after = report.place.position
      found.append(after)
    }
    return found
  }

  @Test func itHoldsTheNewestSessionsThatFit() {
    let size = report(2).size
    let index = ClosedSessionIndex(after: 0, limit: 3 * size)
    for position in 1...5 { index.add(report(Position(position) * 10)) }
    #expect(positions(index) == [30, 40, 50])
    #expect(index.start == 20)
    #expect(index.bytes == 3 * size && index.count == 3)
    // So it can be listed from there on.
    #expect(index.next(after: 39)?.place.position == 40)
    #expect(index.next(after: 50) == nil)
  }

  @Test func earlierSessionsAreAddedIfTheyFit() {
    let index = ClosedSessionIndex(after: 100, limit: 4 * report(2).size)
    index.add(report(110))
    index.prepend((1...4).map { report(Position($0) * 10) }, after: 0, removals: 0)
    #expect(index.start == 100)
    index.prepend([report(80), report(90)], after: 70, removals: 0)
    #expect(index.start == 70)
    #expect(positions(index) == [80, 90, 110])
    index.prepend([], after: 90, removals: 0)
    #expect(index.start == 70)
  }

  @Test func earlierSessionsAreNotAddedIfSomeWereRemovedSince() {
    let index = ClosedSessionIndex(after: 100)
    let known = index.removals
    let found = [report(80), report(90)]
    // It does not have them yet.
    index.remove { $0.place.position == 90 }
    index.prepend(found, after: 70, removals: known)
    #expect(index.count == 0 && index.start == 100)
    index.prepend([report(80)], after: 70, removals: index.removals)
    #expect(positions(index) == [80])
  }

  /// The log still has the record at its first position.
  @Test func whereverTheLogBeginsTheIndexHasTheSessionsClosedFromThereOn() {
    for first in 1...61 as ClosedRange<Position> {
      let index = ClosedSessionIndex(after: 0)
      for position in 1...6 { index.add(report(Position(position) * 10)) }
      index.trim(before: first)
      #expect(positions(index) == (1...6).map { $0 * 10 }.filter { $0 >= first })
      #expect(index.count == positions(index).count && index.start < first)
    }
  }

  @Test func forgottenAndTrimmedSessionsLeaveIt() {
    let index = ClosedSessionIndex(after: 0)
    for position in 1...6 { index.add(report(Position(position) * 10, position % 2 == 0 ? "even" : "odd")) }
    let scope = ForgetScope.client(name: "odd", user: 1, except: [SessionID(high: 0, low: 50)])
    index.remove(where: scope.includes)
    #expect(positions(index) == [20, 40, 50, 60])
    index.remove(where: ForgetScope.session(SessionID(high: 0, low: 50)).includes)
    #expect(positions(index) == [20, 40, 60])
    index.trim(before: 41)
    #expect(positions(index) == [60])
    #expect(index.start == 40)
    #expect(index.bytes == report(60, "even").size)
  }

  @Test func manySessionsMayComeAndGo() {
    let index = ClosedSessionIndex(after: 0, limit: 100 * report(2).size)
    for position in 1...20_000 { index.add(report(Position(position))) }
    #expect(positions(index) == Array(19_901...20_000))
  }
}
