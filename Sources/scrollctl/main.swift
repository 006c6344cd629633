import Platform

StandardDescriptors.occupy()
CurrentProcess.exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
