import ScrollModel

/// The frame of a report: one HTML file that asks the network for nothing.
///
/// Its content security policy allows only the style and the script that are in the file. Text from outside is escaped for
/// where it stands: ``html(_:)`` in HTML, attributes and SVG, ``ScriptData`` in a script.
enum ReportPage {
  /// Returns a page.
  ///
  /// - Parameters:
  ///   - title: The page's title, as text.
  ///   - body: The content as HTML.
  ///   - data: The data of the script, as JSON that ``ScriptData`` has escaped.
  static func page(title: String, body: String, data: String) -> String {
    let style = String(decoding: PackageResources.report_css, as: UTF8.self)
    let script = String(decoding: PackageResources.report_js, as: UTF8.self)
    let policy =
      "default-src 'none'; style-src \(source(style)); script-src \(source(script)); base-uri 'none'; form-action 'none'"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="scrollctl report">
      <title>\(html(title))</title>
      <style>\(style)</style>
      </head>
      <body>
      <main>
      \(body)</main>
      <footer><p>Made by <code>scrollctl report</code>. This file is complete: it loads nothing.</p></footer>
      <script type="application/json" id="data">\(data)</script>
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  /// Returns text for HTML, for an attribute in double quotes, or for SVG.
  static func html(_ text: String) -> String { SVGWriter.escaped(text) }

  private static func source(_ text: String) -> String {
    "'sha256-\(SHA256.base64(SHA256.digest(Array(text.utf8))))'"
  }

  /// Returns a date and time in UTC, `2026-11-30 09:15:02 UTC`, of microseconds since the Unix epoch.
  static func date(_ time: Int64) -> String {
    let seconds = max(0, time) / 1_000_000
    // The days of a year that begins in March, so that the leap day is its last (H. Hinnant, days_from_civil).
    let days = seconds / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    let two = { (number: Int64) in (number < 10 ? "0" : "") + "\(number)" }
    let clock = "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    return "\(year)-\(two(month >= 10 ? month - 9 : month + 3))-\(two(day)) \(clock) UTC"
  }
}

/// JSON for a script element. No text in it can end the script, because `<` is written as `\u003c`.
struct ScriptData {
  private(set) var text = ""
  private var needsComma = false

  mutating func object(_ members: (inout ScriptData) -> Void) { enclosed("{", "}", members) }
  mutating func array(_ elements: (inout ScriptData) -> Void) { enclosed("[", "]", elements) }

  mutating func member(_ name: StaticString, _ value: (inout ScriptData) -> Void) {
    separate()
    text += "\"\(name)\":"
    needsComma = false
    value(&self)
    needsComma = true
  }

  mutating func integer(_ value: Int64) {
    separate()
    text += String(value)
  }

  mutating func number(_ value: Double) {
    separate()
    text += value.isFinite ? shortest(value) : "null"
  }

  mutating func string(_ value: String) {
    separate()
    text += "\""
    for scalar in PlainText.clean(value).unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "<": text += "\\u003c"
      case ">": text += "\\u003e"
      case "&": text += "\\u0026"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private mutating func enclosed(_ begin: String, _ end: String, _ content: (inout ScriptData) -> Void) {
    separate()
    text += begin
    needsComma = false
    content(&self)
    text += end
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { text += "," }
    needsComma = true
  }
}
