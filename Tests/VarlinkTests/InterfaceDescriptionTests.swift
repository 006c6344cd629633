import Testing
import Varlink

@Suite struct InterfaceDescriptionTests {
  @Test func everyElementOfADescriptionIsParsed() throws {
    let text = """
      # An example.
      interface org.example.every-thing2

      # Where something is.
      type Place (x: float, y: float, note: ?string)
      type Side (left, right_side)

      method Nothing() -> ()
      method Find(
        names: []string, # whose
        sides: ?[]Side,
        inside: (low: int, high: int)
      ) -> (places: [string]Place, found: bool, raw: object, extra: ?any)

      error NotFound (name: string)
      error Gone ()
      error Bare
      """
    let interface = try InterfaceDescription(text)
    #expect(interface.name == "org.example.every-thing2")
    #expect(interface.text == text)
    #expect(interface.methods.map(\.name) == ["Nothing", "Find"])
    #expect(interface.errors.map(\.name) == ["NotFound", "Gone", "Bare"])
    #expect(interface.types.map(\.name) == ["Place", "Side"])

    #expect(interface.method("Nothing")?.parameters == [])
    #expect(interface.method("Nothing")?.replyParameters == [])
    #expect(
      interface.method("Find")?.parameters == [
        InterfaceField(name: "names", type: .array(.string)),
        InterfaceField(name: "sides", type: .optional(.array(.named("Side")))),
        InterfaceField(
          name: "inside",
          type: .structure([InterfaceField(name: "low", type: .int), InterfaceField(name: "high", type: .int)])),
      ])
    #expect(
      interface.method("Find")?.replyParameters == [
        InterfaceField(name: "places", type: .map(.named("Place"))), InterfaceField(name: "found", type: .bool),
        InterfaceField(name: "raw", type: .object), InterfaceField(name: "extra", type: .optional(.any)),
      ])
    #expect(interface.method("Find")?.parameters.map(\.isOptional) == [false, true, false])
    #expect(interface.method("Missing") == nil)
    #expect(interface.error("NotFound")?.parameters == [InterfaceField(name: "name", type: .string)])
    #expect(interface.error("Bare")?.parameters == [])
    #expect(interface.type("Side")?.type == .enumeration(["left", "right_side"]))
    #expect(interface.type("Place")?.type != interface.type("Side")?.type)
  }

  @Test func whiteSpaceAndCommentsAreAllowedAnywhere() throws {
    let dense = try InterfaceDescription("interface a.b type T(a:int)method M(t:?T)->(r:[][string]T)error E()")
    let loose = try InterfaceDescription(
      """
      #
      interface # what
        a.b
      type T ( a # comment
        : int )
      method M\t(t : ? T) -> # )
        ( r : [ ] [ string ] T )\r
      error E ( )
      # end
      """)
    #expect(dense.methods == loose.methods)
    #expect(dense.types == loose.types)
    #expect(dense.errors == loose.errors)
  }

  @Test(arguments: [
    ("", 1, 1), ("interface", 1, 10), ("Interface a.b", 1, 1), ("interface a", 1, 11), ("interface a..b", 1, 11),
    ("interface .a", 1, 11), ("interface a.b-", 1, 11), ("interface 1a.b", 1, 11), ("interface a.-b", 1, 11),
    ("interface a.b\nmethod", 2, 7), ("interface a.b\nmethod m() -> ()", 2, 8),
    ("interface a.b\nmethod M_() -> ()", 2, 8),
    ("interface a.b\nmethod M()", 2, 11), ("interface a.b\nmethod M() - ()", 2, 12),
    ("interface a.b\nmethod M() ->", 2, 14), ("interface a.b\nmethod M(a) -> ()", 2, 9),
    ("interface a.b\nmethod M(a: int,) -> ()", 2, 17), ("interface a.b\nmethod M(a: int b: int) -> ()", 2, 17),
    ("interface a.b\nmethod M(a: int, b) -> ()", 2, 18), ("interface a.b\ntype T (a, b: int)", 2, 12),
    ("interface a.b\nmethod M(a: Int) -> ()", 2, 13), ("interface a.b\nmethod M(a: integer) -> ()", 2, 13),
    ("interface a.b\nmethod M(a: ??int) -> ()", 2, 14), ("interface a.b\nmethod M(a: [int]int) -> ()", 2, 14),
    ("interface a.b\nmethod M(a: []) -> ()", 2, 15), ("interface a.b\nmethod M(_a: int) -> ()", 2, 10),
    ("interface a.b\nmethod M(a_: int) -> ()", 2, 10), ("interface a.b\nmethod M(a__b: int) -> ()", 2, 10),
    ("interface a.b\nmethod M(a: int, a: int) -> ()", 2, 18), ("interface a.b\ntype T (a, a)", 2, 12),
    ("interface a.b\nmethod M() -> ()\nerror M ()", 3, 7), ("interface a.b\ntype T (a: int", 2, 15),
    ("interface a.b\ntype T int", 2, 8), ("interface a.b\nmethod M() -> () extra", 2, 18),
    ("interface a.b\nmethod M(a: int;) -> ()", 2, 16), ("interface a.b\nmethod M(ä: int) -> ()", 2, 10),
    ("interface a.b interface a.c", 1, 15), ("interface a.b\n# c\n\n  error e ()", 4, 9),
  ])
  func aSyntaxErrorReportsItsLineAndColumn(text: String, line: Int, column: Int) {
    do throws(InterfaceSyntaxError) {
      _ = try InterfaceDescription(text)
      Issue.record("accepted: \(text)")
    } catch {
      #expect(error.line == line, "\(text): \(error)")
      #expect(error.column == column, "\(text): \(error)")
      #expect(error.description.hasPrefix("line \(line), column \(column): "))
    }
  }

  @Test func typesNestedTooDeepAreRejected() {
    let arrays = String(repeating: "[]", count: 100_000)
    #expect(throws: InterfaceSyntaxError.self) { try InterfaceDescription("interface a.b\ntype T (a: \(arrays)int)") }
    let structures = String(repeating: "(a: ", count: 100_000)
    #expect(throws: InterfaceSyntaxError.self) { try InterfaceDescription("interface a.b\ntype T \(structures)") }
  }

  @Test func everyPrefixOfADescriptionIsParsedOrRejected() {
    let text = Array("interface a.b\ntype T (a: ?[]int, b: [string](c, d))\nmethod M(t: T) -> ()\nerror E ()\n".utf8)
    var accepted: [String] = []
    for length in 0...text.count {
      let prefix = String(decoding: text[..<length], as: UTF8.self)
      if (try? InterfaceDescription(prefix)) != nil {
        accepted.append(prefix.split(separator: "\n").last.map(String.init) ?? "")
      }
    }
    #expect(
      Set(accepted) == [
        "interface a.b", "type T (a: ?[]int, b: [string](c, d))", "method M(t: T) -> ()", "error E", "error E ",
        "error E ()",
      ])
  }

  @Test func aServiceListsTheMethodsOfItsInterfaces() throws {
    let service = try VarlinkService(
      vendor: "v", product: "p", version: "1", url: "u",
      interfaces: [
        InterfaceDescription("interface a.b\nmethod M() -> ()\nmethod N() -> ()"),
        InterfaceDescription("interface a.c\nmethod M() -> ()"),
      ])
    #expect(service.methods.map(\.name) == ["a.b.M", "a.b.N", "a.c.M"])
    #expect(service.methods.map(\.index) == [0, 1, 2])
    #expect(service.method(named: "a.c.M")?.index == 2)
    #expect(service.method(named: "a.c.N") == nil)
    #expect(service.interfaces.map(\.name) == ["org.varlink.service", "a.b", "a.c"])
  }
}
