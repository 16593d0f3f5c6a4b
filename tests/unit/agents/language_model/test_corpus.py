"""What other documents say of an option is found by its words, and only where they say them all."""

from __future__ import annotations

from itertools import pairwise

from by_hand import source
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.roles import Source
from viva.core.records import Chunk, ItemKind

STEM = "How many litres does the Brannoch pump move?"
HERE = source("The Brannoch pump moves 340 litres.", "here.md", "Brannoch")
OTHERS = [
    source("Since the refit the Brannoch pump moves 360 litres.", "refit.md", "Refit"),
    source("The tank holds 380 litres.", "tank.md", "Tanks"),
    source("Somebody waited 400 days.", "days.md", "Days"),
    source("The Brannoch pump is green.", "paint.md", "Paint"),
]
CORPUS = CorpusSearch(by_id(s.document for s in (HERE, *OTHERS)), by_id(s.chunk for s in (HERE, *OTHERS)))


def test_a_passage_that_holds_an_options_words_is_found_with_its_title() -> None:
    assert CORPUS.elsewhere(STEM, ["360 litres"], HERE) == [f"From “refit.md > Refit”:\n{OTHERS[0].chunk.text}"]


def test_of_an_option_nobody_speaks_of_there_is_nothing_to_read() -> None:
    assert CORPUS.elsewhere(STEM, ["999 litres", "the", ""], HERE) == []


def test_a_passage_is_found_in_another_form_of_unicode() -> None:
    told = source("Le débit d’eau de la pompe d'Hélène est de 12.".replace("é", "e\u0301"), "pompe.md", "Pompe")
    corpus = CorpusSearch(by_id(s.document for s in (HERE, told)), by_id(s.chunk for s in (HERE, told)))
    assert len(corpus.elsewhere("Quelle est la pompe ?", ["l'eau d’Hélène"], HERE)) == 1
    assert found(corpus, "Que dit Hélène ?") == ["Pompe"]


def test_a_passage_that_speaks_of_nothing_that_is_asked_is_not_shown() -> None:
    assert CORPUS.elsewhere("Who built the Brannoch pump?", ["400 days"], HERE) == []


def test_the_source_itself_is_not_elsewhere() -> None:
    assert CORPUS.elsewhere(STEM, ["340 litres"], HERE) == []


def test_a_passage_that_speaks_of_two_options_is_shown_once() -> None:
    assert len(CORPUS.elsewhere(STEM, ["360 litres", "360", "380 litres"], HERE)) == 1


def test_a_corpus_of_nothing_and_one_of_the_source_alone_say_nothing() -> None:
    assert CorpusSearch({}, {}).elsewhere(STEM, ["360 litres"], HERE) == []
    assert CorpusSearch(by_id([HERE.document]), by_id([HERE.chunk])).elsewhere(STEM, ["340 litres"], HERE) == []


# --- what a search for the question finds --------------------------------------------------------------------

ABSENT = Source(HERE.chunk, HERE.document, ItemKind.UNANSWERABLE)


def found(corpus: CorpusSearch, stem: str = STEM) -> list[str]:
    first, *others = corpus.around(stem, ABSENT).parts
    assert first.chunk == HERE.chunk
    return [part.document.title for part in others]


def test_beside_the_source_stand_the_passages_that_a_search_finds_the_best_first() -> None:
    assert found(CORPUS) == ["Refit", "Paint", "Tanks"]
    assert found(CORPUS, "Who waited?") == ["Days"]
    assert found(CORPUS, "Who?") == []


def test_as_many_are_read_as_fit_and_no_repeats() -> None:
    long = [source(f"The Brannoch pump moves litres. {n} " + "x" * 4500, f"{n}.md", str(n)) for n in range(5)]
    again = long[0].chunk.model_copy(update={"id": "again", "duplicate_of": long[0].chunk.id})
    corpus = CorpusSearch(by_id(s.document for s in long), by_id([again, *(s.chunk for s in long)]))
    assert len(found(corpus)) == 3
    assert "again" not in {part.chunk.id for part in corpus.around(STEM, ABSENT).parts}


def test_what_stands_around_a_chunk_and_around_what_is_found_is_read_in_one_stretch() -> None:
    text = "The Brannoch pump was built in 1931. It holds oil. Its tank is red. Nobody waited for days."
    document = source(text, "p.md", "Pump").document
    cuts = [0, 37, 51, 68, len(text)]
    parts = [
        Chunk(id=f"c{n}", document_id=document.id, start=a, end=b, text=text[a:b], tokens=9)
        for n, (a, b) in enumerate(pairwise(cuts))
    ]
    beside = CorpusSearch(by_id([document]), by_id(parts)).around(
        "When was it built?", Source(parts[2], document, ItemKind.UNANSWERABLE)
    )
    assert [part.chunk.text for part in beside.parts] == [text[51:68], text[0:51], text[68:]]


def test_what_stands_in_a_stretch_that_is_read_already_is_not_elsewhere() -> None:
    text = "The Brannoch pump moves oil. It moves 360 litres. The Brannoch pump moves 380 litres when hot."
    document = source(text, "p.md", "Pump").document
    cuts = [0, 29, 50, len(text)]
    parts = [
        Chunk(id=f"c{n}", document_id=document.id, start=a, end=b, text=text[a:b], tokens=9)
        for n, (a, b) in enumerate(pairwise(cuts))
    ]
    corpus, here = CorpusSearch(by_id([document]), by_id(parts)), Source(parts[0], document, ItemKind.UNANSWERABLE)
    assert corpus.elsewhere(STEM, ["380 litres"], here)
    read = corpus.around(STEM, here)
    assert [part.chunk.id for part in read.parts] == ["c0", "c1"]
    assert corpus.elsewhere(STEM, ["380 litres"], read) == []


def test_passages_are_looked_for_by_meaning_too_where_somebody_can() -> None:
    asked: list[str] = []

    def search(query: str, most: int) -> list[Chunk]:
        asked.append(query)
        return [OTHERS[0].chunk][:most]

    corpus = CorpusSearch(by_id([HERE.document, OTHERS[0].document]), by_id([HERE.chunk, OTHERS[0].chunk]), search)
    assert found(corpus, "When was she mended?") == ["Refit"]
    assert asked == ["When was she mended?"]


def test_in_a_corpus_of_nothing_the_source_stands_alone() -> None:
    assert found(CorpusSearch({}, {})) == []
    assert found(CorpusSearch(by_id([HERE.document]), by_id([HERE.chunk]))) == []


# --- what a search with the bare question finds --------------------------------------------------------------

SHIPS = [
    source(f"The {name} carries {cars} cars. Her master is {who}.{more}", f"{name.lower()}.md", name)
    for name, cars, who, more in (
        ("Alder", 40, "Ada Berg", ""),
        ("Corvina", 52, "Ivo Strand", " Her charging arm was bent by ice."),
        ("Dunlin", 64, "Otto Kern", ""),
    )
]
FLEET = CorpusSearch(by_id(s.document for s in SHIPS), by_id(s.chunk for s in SHIPS))


def test_a_question_that_fits_all_ships_tells_of_none_and_a_peculiar_word_tells_of_one() -> None:
    assert FLEET.telling("How many cars does she carry?", SHIPS[1]) == []
    assert FLEET.telling("What bent her charging arm?", SHIPS[1]) == ["arm", "bent", "charg"]
    assert FLEET.telling("What bent her charging arm?", SHIPS[0]) == []
    assert FLEET.telling("Who?", SHIPS[1]) == []
    assert CorpusSearch({}, {}).telling("How many cars?", SHIPS[1]) == []


def test_where_nothing_else_is_found_all_words_that_the_source_has_tell_of_it() -> None:
    alone = CorpusSearch(by_id([SHIPS[0].document]), by_id([SHIPS[0].chunk]))
    assert alone.telling("How many cars does she carry?", SHIPS[0]) == ["car", "carry"]


def test_an_option_is_as_near_as_the_first_place_that_has_its_words() -> None:
    asked = "How many cars does she carry?"
    key, other, invented = (FLEET.pull(asked, cars) for cars in ("52 cars", "64 cars", "77 cars"))
    assert other >= 0.8 * key > 0
    assert invented == 0
    # of function words alone, and of signs, nothing can be searched for
    assert FLEET.pull(asked, "no one") == FLEET.pull(asked, "+") == 0
    asked = "What bent her charging arm?"
    assert FLEET.pull(asked, "64 cars") < 0.8 * FLEET.pull(asked, "ice")


def test_rivals_hold_half_of_the_questions_words_and_are_of_as_many_documents_as_there_are() -> None:
    asked, here = "How long before low water does the lock gate close?", source("The lock gate closes early.")
    many = [source(f"The lock gate closes {n} minutes before low water, they say.", "many.md") for n in range(5)]
    chunks = [each.chunk.model_copy(update={"document_id": many[0].document.id}) for each in many]
    other = source("Leave early, for the lock gate closes half an hour before low water.", "other.md")
    paint = source("The bridge over the lock is painted red.", "paint.md")
    documents = by_id(each.document for each in (here, many[0], other, paint))
    corpus = CorpusSearch(documents, by_id([here.chunk, *chunks, other.chunk, paint.chunk]))
    rivals = corpus.rivals(asked, [asked], here, "en", 2)
    assert (len(rivals), sum("many.md" in told for told in rivals)) == (2, 1)
    assert CorpusSearch(documents, by_id([here.chunk, paint.chunk])).rivals(asked, [asked], here, "en", 2) == []
