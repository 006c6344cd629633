import Varlink

/// Any text, read as an interface description.
enum InterfaceFuzzing: Fuzzing {
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let text = String(decoding: input, as: UTF8.self)
    do throws(InterfaceSyntaxError) {
      let interface = try InterfaceDescription(text)
      hold(interface.text == text, "a description keeps its text")
      for method in interface.methods { hold(interface.method(method.name) != nil, "a method is found by its name") }
    } catch {
      hold(error.line >= 1 && error.column >= 1, "\(error) lies in the text")
    }
  }
}
