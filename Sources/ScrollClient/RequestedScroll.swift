import ScrollModel
internal import Varlink

/// A scroll request that a client must answer.
///
/// The targets, in terms of the scroll view's own insets and frame: `top` is the offset −insetTop, `bottom` the largest
/// offset, `page` N the horizontal offset N × frameWidth, counted from 0 and mirrored in right-to-left content, and
/// `offset` the content offset itself.
public struct RequestedScroll: Equatable, Sendable {
  /// The request's position, to be named in the response.
  public var request: Position
  /// Where to scroll.
  public var target: ScrollRequest.Target

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    request = try members.require("request", members.count("request"))
    switch try members.require("target", members.string("target")) {
    case "top": target = .top
    case "bottom": target = .bottom
    case "page": target = .page(try members.require("page", members.count("page")))
    case "offset":
      target = .offset(
        x: try members.require("x", members.double("x")), y: try members.require("y", members.double("y")))
    default: throw ReplyMembers.Unexpected(name: "target")
    }
  }
}
