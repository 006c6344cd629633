// A workload's end before its time.

/// A workload ended before its time, since the file system crashed or the log took nothing any more.
struct Stopped: Error {}
