/// The early end of a workload, after a crash of the file system or a failure of the log.
struct Stopped: Error {}
