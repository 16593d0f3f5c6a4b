"""Which language a text is written in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

UNKNOWN = "und"
"""ISO 639-2 for a language that was not determined."""

# the model knows rarer ones too, and among them finds English names and code: Latin, Quechua, "no language"
_LIKELY = (
    "en de fr es it pt nl da sv no fi pl cs sk sl hr bg ru uk el tr ar he fa hi bn ta zh ja ko ro hu ca vi th id lt"
    " lv et"
)
_SURE = 0.5
_ENOUGH = 12
"""Letters; of a script without an alphabet, each counts as four."""
LANGUAGE_TELLING = 4000
"""Characters that are looked at."""
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|``[^`\n]*``|`[^`\n]*`"  # code
    r"|<[^<>\n]{1,200}>"  # tags
    r"|\b\w+://\S+|\bwww\.\S+|\S+@\S+"  # addresses
    r"|\S*[\w)](?:[_/\\=]|::|->|\(\)|\.\w)\S*"  # identifiers, paths, calls
    r"|\S*\d\S*",
    re.DOTALL,
)
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=4096)
def detect_language(text: str) -> str:
    """ISO 639-1 code of the language that a text is written in, code in it aside; 'und' where too short or unsure.

    Source: py3langid, a naive Bayes classifier of byte n-grams (Lui & Baldwin 2012), among some forty languages.
    """
    prose = " ".join(_NOT_PROSE.sub(" ", text[:LANGUAGE_TELLING]).split())
    letters = sum(char.isalpha() for char in prose) + 3 * len(_IDEOGRAPH.findall(prose))
    if letters < _ENOUGH:
        return UNKNOWN
    language, probability = _identifier().classify(prose)
    return str(language) if probability >= _SURE else UNKNOWN


def first_known(*texts: str) -> str:
    """The language of the first of these texts that shows one; '' where none does."""
    return next((found for text in texts if (found := detect_language(text)) != UNKNOWN), "")


def main_language(texts: Iterable[str]) -> str:
    """The language that most of these texts are written in; 'und' where none shows its own."""
    found = Counter(filter(None, map(first_known, texts)))
    return min(found, key=lambda language: (-found[language], language), default=UNKNOWN)


def load_detection() -> None:
    """Load the model now, which takes a while: the first text that is read waits for it else."""
    _identifier()


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LIKELY.split())
    return identifier
