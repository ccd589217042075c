"""Values: one place says what a value is, names it exactly, and reads it as people write it.

`names` the text that names a value, and sets of names · `numbers` exactly, of any length ·
`dates` as days · `ranges` such as `20-29` · `columns` what is known of a column · `meanings` what
a label may stand for beside others · `spellings` the word that is meant · `typed` the number that
is meant.
"""

__all__: list[str] = []
