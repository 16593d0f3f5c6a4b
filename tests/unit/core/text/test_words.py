"""Words by which texts are searched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.text.words import content_words, search_words

ASCII = st.characters(max_codepoint=127, exclude_characters="'")


@given(st.text(ASCII, max_size=60))
def test_ascii_text_is_searched_by_its_content_words(text: str) -> None:
    assert search_words(text) == content_words(text)


@pytest.mark.parametrize("text", ["The pump's o'clock isn't John's; we'll call 'em, 'tis so.", "a_b e.g. v1.2 x-y"])
def test_apostrophes_of_english_stay_in_their_words(text: str) -> None:
    assert search_words(text) == content_words(text)
