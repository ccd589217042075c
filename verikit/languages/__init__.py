"""One file a language: all that verikit says in it, and how it writes numbers."""

from verikit.languages._files import (
    LANGUAGES,
    find_missing_texts,
    insert_phrases,
    own_texts,
    texts_of,
)
from verikit.languages._language import (
    Entry,
    Language,
    Line,
    LocalNumber,
    keep_number,
    localize_number,
    read_language,
    speaks_of,
    spoken_language,
    use_language,
    write_lines,
)
from verikit.languages._texts import (
    card_text,
    choose_language,
    criterion_text,
    form_text,
    read_messages,
    screen_words,
    sentence_text,
    tell,
    translate,
    translate_errors,
)

__all__ = [
    "LANGUAGES", "Entry", "Language", "Line", "LocalNumber", "card_text", "choose_language",
    "criterion_text", "find_missing_texts", "form_text", "insert_phrases", "keep_number",
    "localize_number", "own_texts", "read_language", "read_messages", "screen_words",
    "sentence_text", "speaks_of", "spoken_language", "tell", "texts_of", "translate",
    "translate_errors", "use_language", "write_lines",
]  # fmt: skip
