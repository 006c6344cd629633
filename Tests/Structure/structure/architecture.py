"""The limits and tables that the checks hold the package to. Change the architecture here first, then in the code."""

# Every file of a reference cycle must be read to understand any one of them. Four fit on a desk.
MAX_FILES_IN_CYCLE = 4

# A class with more state than this usually hides two types.
MAX_STORED_PROPERTIES = 15

# Structs above the limit: values whose fields belong together, and why.
LARGE_STRUCTS = {
    "ScrollModel.Event": "one property for each field that a kind of event can have",
    "ScrollModel.RuleMemory": "one property for each thing that the description of the rule has it remember",
    "ScrollClient.SessionSummary": "one property for each member of the daemon's report of a session",
    "ScrollAnalysis.Reading": "one property for each measure",
    "ScrollClient.StateReport": "one property for each member of the daemon's report of a state",
    "ScrollService.Configuration": "one property for each setting of scrolld.conf",
}

# Targets whose folders never refer to each other in a circle, directly or through other folders.
TARGETS_WITH_ACYCLIC_FOLDERS = ["ScrollAnalysis", "ScrollClient", "ScrollJSON", "ScrollLog", "ScrollModel"]

# What each target's Swift files may import. C targets have no Swift files, so only their importers appear.
ALLOWED_IMPORTS = {
    "Platform": {"CLinux", "Glibc"},
    "JSON": {"CSimdJSON", "Platform"},
    "ScrollModel": set(),
    "ScrollAnalysis": {"ScrollModel"},
    "ScrollLog": {"CGcrypt", "CXXHash", "CZstd", "Platform", "ScrollModel"},
    "Varlink": {"JSON", "Platform"},
    "ScrollJSON": {"JSON", "ScrollModel"},
    "ScrollService": {
        "CSystemd",
        "CXXHash",
        "JSON",
        "Platform",
        "ScrollJSON",
        "ScrollLog",
        "ScrollModel",
        "Synchronization",
        "Varlink",
    },
    "ScrollClient": {"JSON", "Platform", "ScrollJSON", "ScrollModel", "Varlink"},
    "NativeHost": {"JSON", "Platform", "ScrollJSON", "ScrollModel", "Varlink"},
    "scroll-native-host": {"NativeHost", "Platform", "ScrollClient", "Varlink"},
    "ScrollRelay": {
        "CPostgreSQL",
        "CSystemd",
        "JSON",
        "Platform",
        "ScrollClient",
        "ScrollJSON",
        "ScrollModel",
        "ScrollService",
        "Varlink",
    },
    "scroll-relay": {"Platform", "ScrollClient", "ScrollModel", "ScrollRelay", "ScrollService"},
    "scrolld": {"Platform", "ScrollService"},
    "scrollctl": {
        "CSQLite",
        "JSON",
        "Platform",
        "ScrollAnalysis",
        "ScrollClient",
        "ScrollJSON",
        "ScrollLog",
        "ScrollModel",
        "ScrollService",
        "Varlink",
    },
    "scrollbench": {
        "JSON",
        "Platform",
        "ScrollClient",
        "ScrollJSON",
        "ScrollLog",
        "ScrollModel",
        "ScrollService",
        "Varlink",
    },
    "toolbar-example": {"ScrollClient", "ScrollModel"},
}

# Single files or whole targets that may import more, and why.
EXTRA_IMPORTS = {
    ("Sources/toolbar-example", "Glibc"): "shows a program outside this package, which has no Platform",
}
