"""Regular expressions and globs that somebody outside has written: matched in bounded time.

`go` is the language of Go's programs, `posix` that of grep, sed, awk and the shells, `perl` that of
PCRE; `globs` are patterns of names. All of them are matched by RE2, in time linear in the text.
What RE2 has no answer to (references back, look-around) is matched by `backtracking`, in steps
that are counted; `trials` tells how
many another matcher of that kind would make. Python's own expressions are for patterns of ours alone.
"""
