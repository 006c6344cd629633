import JSON
import Platform
import ScrollClient
import ScrollModel
import Testing

@testable import scrollctl

@Suite("The demo's picture")
struct DemoScreenTests {
  private func model(y: Double, toolbar: String, topButton: Bool = false) throws -> DemoModel {
    var model = DemoModel(client: "demo/article", speed: 1.5, duration: 10_000_000, totalEvents: 100)
    var layout = Event(.layout, time: 0)
    layout.contentHeight = 9666
    layout.frameHeight = 844
    model.send(layout)
    let text =
      #"{"client":"demo/article","user":0,"session":"0123456789abcdef0123456789abcdef","position":7,"time":1500000,"#
      + #""toolbar":"\#(toolbar)","trigger":"scrollDown","reachBottom":\#(y > 8800),"bottomLatch":\#(y > 8800),"#
      + #""topButton":\#(topButton),"x":0,"y":\#(y),"policy":"safari"}"#
    model.state = try StateReport(json: text)
    model.elapsed = 5_000_000
    return model
  }

  private func pushed(_ count: Int) -> [DemoModel.Pushed] {
    (0..<count).map {
      DemoModel.Pushed(time: Int64($0) * 100_000, changes: "toolbar hidden \($0)", reason: "why \($0)")
    }
  }

  @Test("The picture always has the same size", arguments: [0, 1, 3, 40])
  func size(pushes: Int) throws {
    var models = [DemoModel(client: String(repeating: "漢", count: 80), speed: 1, duration: 0, totalEvents: 0)]
    for y in [-40.0, 0, 1234.5, 8822, 1e12] { models.append(try model(y: y, toolbar: "hidden", topButton: true)) }
    for var model in models {
      model.pushed = pushed(pushes)
      let lines = DemoScreen().lines(model)
      #expect(lines.count == DemoScreen.height)
      for line in lines { #expect(line.columnWidth <= DemoScreen.width, "\(line)") }
    }
  }

  @Test("The toolbar is drawn only while it is shown")
  func toolbar() throws {
    let shown = DemoScreen().lines(try model(y: 0, toolbar: "shown")).joined()
    let hidden = DemoScreen().lines(try model(y: 0, toolbar: "hidden")).joined()
    #expect(shown.contains("◀"))
    #expect(!hidden.contains("◀"))
    #expect(shown.contains("Toolbar     shown"))
    #expect(hidden.contains("Toolbar     hidden by scrollDown"))
  }

  @Test("The button to the top is drawn while it is shown")
  func topButton() throws {
    #expect(DemoScreen().lines(try model(y: 900, toolbar: "hidden", topButton: true)).joined().contains("(▲)"))
    #expect(!DemoScreen().lines(try model(y: 900, toolbar: "hidden")).joined().contains("(▲)"))
  }

  @Test("The map marks the window, from the first row to the last")
  func map() throws {
    func marked(_ y: Double) throws -> [Int] {
      let lines = DemoScreen().lines(try model(y: y, toolbar: "hidden"))
      return lines.indices.filter { lines[$0].contains("██ ") }
    }
    #expect(try marked(0).first == 2)
    #expect(try marked(8822).last == 19)
    #expect(try marked(4400).allSatisfy { (9...12).contains($0) })
  }

  @Test("The page moves under the window")
  func moves() throws {
    let rowHeight = 844.0 / 16
    let first = DemoScreen().lines(try model(y: 0, toolbar: "hidden"))
    let later = DemoScreen().lines(try model(y: rowHeight * 3, toolbar: "hidden"))
    // Every row has moved up by three.
    for row in 3..<12 { #expect(first[row + 3].prefix(28) == later[row].prefix(28)) }
  }

  @Test("The newest transitions are visible when not all fit")
  func newest() throws {
    var model = try model(y: 0, toolbar: "hidden")
    model.pushed = pushed(30)
    let text = DemoScreen().lines(model).joined(separator: "\n")
    #expect(text.contains("toolbar hidden 29"))
    #expect(text.contains("why 29"))
    #expect(!text.contains("toolbar hidden 3\n"))
  }

  @Test("Colors add escape sequences, and change nothing else")
  func colours() throws {
    var style = Style()
    style.hasColors = true
    var model = try model(y: 3000, toolbar: "shown", topButton: true)
    model.pushed = pushed(3)
    let plain = DemoScreen().lines(model)
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    let painted = DemoScreen(style: style).lines(model).map { line in
      line.replacing(#/\u{1B}\[[0-9]*m/#, with: "")
    }
    #expect(painted == plain)
  }
}
