// Why a start ended before anything was served.

/// A start that was asked to stop before anything was served.
struct StartGivenUp: Error {}
