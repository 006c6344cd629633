# What a browser doesn't need: indentation, and comments on lines of their own. They are in Sources/WebExtension.
s/^ +//
/^\/\//d
