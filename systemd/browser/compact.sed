# What a browser doesn't need: indentation, comments, and spaces around operators and in braces. They are in Sources/WebExtension,
# whose texts have none of these.
s/^ +//
/^\/\//d
s/ +\/\/ .*$//
s/ (=|=>|===|!==|&&|\|\||\?\?|\?|:) /\1/g
s/\{ /{/g
s/ \}/}/g
s/\) \{/){/g
s/\b(if|for|while|switch) \(/\1(/g
s/, \{/,{/g
s/; \}/;}/g
s/\} else/}else/g
