"""An exam in figures: worked by hand on exams of a few items."""

from __future__ import annotations

import pytest
from exams_by_hand import exam_item, sound_exam, sound_item

from viva.core.accounts import Funnel
from viva.core.records import BloomLevel, Difficulty, Exam, Trial
from viva.core.wording import option_letter
from viva.exams.statistics import UNKNOWN, exam_statistics, readability, syllables, words


def baselines(*items: object) -> dict[str, float]:
    return {b.name: b.right.value for b in exam_statistics(Exam.of(items)).baselines}  # type: ignore[arg-type]


def test_a_rule_that_never_reads_is_right_as_often_as_the_key_lets_it() -> None:
    found = baselines(
        exam_item("Which rope holds the tug?", ["a long hawser", "chain", "wire", "cord"], 0),
        exam_item("Which bell rings at noon?", ["hand bell", "the bell of the tower", "gong", "horn"], 1),
        exam_item("Who steers?", ["a pilot of the port", "Ann", "Bob", "Cy"], 1),
    )
    assert found["always A"] == pytest.approx(1 / 3)
    assert found["always B"] == pytest.approx(2 / 3)
    assert found["always C"] == found["always D"] == 0
    assert found["longest option"] == pytest.approx(2 / 3)
    # 'Ann' and 'Bob' tie at three letters with 'Cy' shorter; 'wire' and 'cord' are shorter than the hawser
    assert found["shortest option"] == 0
    # nothing in common in the first and the third: one in four by lot; 'bell' stands in two options of the second
    assert found["most words in common with the stem"] == pytest.approx((0.25 + 0.5 + 0.25) / 3)


def test_each_baseline_has_an_interval_around_it_and_chance_beside_it() -> None:
    found = exam_statistics(sound_exam(8))
    assert found.chance == 0.25
    for baseline in found.baselines:
        assert 0 <= baseline.right.low <= baseline.right.value <= baseline.right.high <= 1
    assert found.best_fixed is not None
    assert found.best_fixed.right.value == 0.25


def test_chance_follows_the_number_of_options_of_each_item() -> None:
    found = exam_statistics(
        Exam.of([exam_item("Is it so?", ["yes", "no"]), sound_item(0), exam_item("Why so?", ["Because of tides."])])
    )
    assert found.chance == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert (found.items, found.open_items, found.options) == (3, 1, {2: 1, 4: 1})


def test_an_open_exam_has_no_baselines_and_an_empty_one_no_figures() -> None:
    found = exam_statistics(Exam.of([exam_item("Why is the ramp closed?", ["Because of ice."])]))
    assert (found.chance, found.baselines, found.best_fixed, found.overlap) == (None, (), None, None)
    assert found.stem_words is not None
    empty = exam_statistics(Exam.of([]))
    assert (empty.items, empty.stem_words, empty.reading, empty.solving) == (0, None, (), ())


def test_candidates_are_the_units_asked_about_and_unknown_without_a_run() -> None:
    funnel = Funnel(
        chunks=9, units=50, accepted=20, rejected={"leak": 6}, failed={"unreadable": 4}, not_asked=20, in_exam=18,
        examples=2, left_out={},
    )  # fmt: skip
    found = exam_statistics(sound_exam(), funnel)
    assert found.candidates == 30 == funnel.accepted + 6 + 4
    assert exam_statistics(sound_exam()).candidates is None


def test_overlap_tells_a_key_that_echoes_the_stem_from_its_distractors() -> None:
    found = exam_statistics(
        Exam.of([exam_item("Which ferry ramp lifts cars?", ["ferry ramp", "old crane", "east gate", "tow rope"])])
    ).overlap
    assert found is not None
    # 'ferry ramp' in 'which ferry ramp lifts cars': two of five words
    assert found.key_and_stem.median == pytest.approx(2 / 5)
    assert found.distractors_and_stem.median == 0
    assert found.within_options.median == 0


def test_every_class_is_counted_and_what_is_not_known_says_so() -> None:
    both = (BloomLevel.REMEMBER, BloomLevel.APPLY)
    found = exam_statistics(
        Exam.of([sound_item(0, bloom=both, difficulty=Difficulty.HARD), sound_item(1, topic="", language="de")])
    ).shares
    assert found["bloom"] == {"remember": 2, "apply": 1}
    assert found["difficulty"] == {"hard": 1, UNKNOWN: 1}
    assert found["topic"] == {UNKNOWN: 1, "tugs": 1}
    assert found["language"] == {"de": 1, "en": 1}
    assert found["kind"] == {"single-hop": 2}
    assert found["question word"] == {"what": 2}


def test_solving_counts_an_item_once_however_often_it_was_tried() -> None:
    def trials(blind: int, told: int) -> tuple[Trial, ...]:
        return (
            Trial(reader="lexical", with_evidence=False, picked=blind, tried=3),
            Trial(reader="lexical", with_evidence=True, picked=told, tried=3),
            Trial(reader="idle", with_evidence=True, picked=0, tried=0),
        )

    found = exam_statistics(Exam.of([sound_item(0, trials=trials(1, 3)), sound_item(1, trials=trials(0, 3))])).solving
    assert [(s.reader, s.with_evidence, s.items) for s in found] == [("lexical", False, 2), ("lexical", True, 2)]
    blind, told = found
    assert blind.right.value == pytest.approx(1 / 6)
    assert told.right.value == 1
    # two items, not six tries: the interval is wide
    assert told.right.low < 0.5


def test_who_tried_only_what_another_missed_is_left_out_of_solving_and_nobody_else() -> None:
    def tried(*readers: str) -> tuple[Trial, ...]:
        return tuple(Trial(reader=reader, with_evidence=True, picked=0, tried=3) for reader in readers)

    readers = [("model",), ("model",), ("lexical",), ("lexical", "embedding"), ("lexical", "embedding")]
    items = [sound_item(n, trials=tried(*each)) for n, each in enumerate(readers)]
    found = exam_statistics(Exam.of(items)).solving
    assert [(each.reader, each.items) for each in found] == [("lexical", 3), ("model", 2)]


def test_lix_counts_words_in_a_sentence_and_long_words() -> None:
    # four words, one of more than six letters
    assert readability(["Where does barnacle grow?"], "fr").lix == pytest.approx(4 + 25)
    assert readability(["Where does barnacle grow?"], "fr").grade is None


def test_the_grade_is_flesch_and_kincaids_for_english_alone() -> None:
    # seven words, eight syllables: 0.39 * 7 + 11.8 * 8 / 7 - 15.59
    found = readability(["Where did the cat find the table?"], "en")
    assert found.grade == pytest.approx(0.39 * 7 + 11.8 * 8 / 7 - 15.59)


def test_a_language_without_spaces_has_no_reading_level() -> None:
    assert readability(["潮はいつ満ちますか"], "ja").lix is None
    assert readability([""], "en").lix is None


@pytest.mark.parametrize(
    ("word", "count"),
    [("the", 1), ("table", 2), ("make", 1), ("pumped", 1), ("plated", 2), ("boxes", 2), ("people", 2), ("35", 1)],
)
def test_syllables_are_groups_of_vowels_without_a_silent_e(word: str, count: int) -> None:
    assert syllables(word) == count


def test_a_word_may_hold_a_hyphen_an_apostrophe_or_a_point() -> None:
    assert words("Who's the U.S. co-operative's 3.5-tonne?") == ["Who's", "the", "U.S", "co-operative's", "3.5-tonne"]


def test_options_beyond_z_are_numbered() -> None:
    assert [option_letter(n) for n in (0, 25, 26)] == ["A", "Z", "27"]
