/// Returns the shortest text that reads back as the same number, without a trailing `.0`: `10`, `12.5`, `0.005`.
public func shortest(_ value: Double) -> String {
  let text = value.description
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
