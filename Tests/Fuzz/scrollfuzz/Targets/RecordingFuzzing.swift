import ScrollJSON
import ScrollModel

/// Any text, read as a recording and folded.
enum RecordingFuzzing: Fuzzing {
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let text = [UInt8](input)
    let lineCount = text.split(separator: 0x0A, omittingEmptySubsequences: false).count
    let lines: [(line: Int, RecordingLine)]
    do throws(RecordingError) {
      lines = try RecordingReader.read(text)
    } catch {
      hold((1...lineCount).contains(error.line), "\(error) is one of \(lineCount) lines")
      return
    }
    var latest = 0
    var state = FoldState()
    for (line, content) in lines {
      hold(line > latest && line <= lineCount, "lines in order, \(line) after \(latest) of \(lineCount)")
      latest = line
      switch content {
      case .open(_, let client, _, _, _, _, _): try ClientName.validate(client)
      case .event(let event): _ = Policy.safari.step(&state, event)
      case .close, .request, .response: break
      }
    }
  }
}
