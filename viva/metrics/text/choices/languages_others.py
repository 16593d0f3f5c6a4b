"""What people and models say around the option they choose, in Slavic languages and some more of Europe and Asia."""

from __future__ import annotations

from viva.metrics.text.choices.language import ChoiceWords, Script

RUSSIAN = ChoiceWords(
    script=Script.CYRILLIC,
    answer=r"ответ(?:ом|а)?|решение|вывод|выбор",
    option=r"вариант(?:а|ом|у)?(?: ответа)?(?: под буквой)?|пункт|букв\w+|опци\w+|под буквой",
    copula=r"это|является|будет|есть",
    chooses=r"(?:я |мы )?(?:выбираю|выберу|выбираем|выбрал\w*|выбрать|останавливаюсь на|склоняюсь к)",
    points=r"выбрать|выберите|соответствует|указывает на",
    remains=r"оста[её]тся(?: только)?",
    right=r"правильн\w*|верн(?:ый|ая|ое|ые|о|ым|ой)|верен|верна|подходит|корректн\w*|соответствует|да",
    wrong=(
        r"неправильн\w*|неверн\w*|неверен|ошибочн\w*|ложн\w*|исключ\w*|отпада\w*|некорректн\w*|неподходящ\w*|"
        r"неправ\w*|маловероятн\w*"
    ),
    negates=r"не|ни|нет|нельзя|никогда",
    excludes=r"исключ\w*|отброс\w*|отверг\w*|отбрасыва\w*|вместо|в отличие от|кроме|отмета\w*",
    disbelieves=r"не (?:думаю|считаю|верю)|сомнева\w*",
    thinks=r"(?:я )?(?:думаю|считаю|полагаю)(?:,? что)?",
    hedges=r"может быть|возможно|наверное|мог(?:ло|ла|ут)? бы|может",
    unsure=r"не (?:\w+ )?увер\w*|не знаю|затрудня\w*|сложно сказать|неясно|непонятно|сомнева\w*",
    refuses=(
        r"не знаю|не могу|невозможно|нет (?:\w+ )?информации|недостаточно|не (?:указан|упомина|сказан|говорит)\w*|"
        r"извините|к сожалению"
    ),
    none_of=r"ни один из(?: \w+){0,2}|ничего из(?: \w+){0,2}|ни одного из(?: \w+){0,2}|нет правильного ответа",
    hence=r"поэтому|следовательно|таким образом|итак|значит|отсюда|стало быть",
    corrects=r"нет|стоп|точнее|вернее|на самом деле|постойте|подождите|извините|исправ\w*|да",
    it_is=r"это",
    either=r"или|либо|ни|или же",
    both=r"и|а также",
    breaks=r"и|но|а|потому|поэтому|так как|поскольку|однако|хотя|тогда как|зато",
    whether=r"ли|если",
    too=r"тоже|также",
    because=r"потому|так|поскольку|согласно|по|и|но|а|ведь",
    yes=r"да",
    no=r"нет",
    ordinals=(
        r"перв\w+|1-\w{1,2};втор\w+|2-\w{1,2};треть\w+|третий|3-\w{1,2};четв[её]рт\w+|4-\w{1,2};"
        r"пят(?:ый|ая|ое|ого|ом|ым|ой);шест(?:ой|ая|ое|ого|ом|ым);седьм\w+;восьм(?:ой|ая|ое);девят(?:ый|ая|ое);"
        r"десят(?:ый|ая|ое)"
    ),
    last=r"последн\w+",
    numbers=r"один;два;три;четыре;пять;шесть;семь;восемь;девять;десять",
    ordinal_noun=r"вариант\w*(?: ответа)?|ответ|пункт|опци\w+|утверждение",
    named=r"приложение|раздел|таблица|рисунок|группа|класс|уровень|часть|здание|зона|тип|резервуар|страница|витамин",
)

TURKISH = ChoiceWords(
    answer=r"cevap|cevab[ıi]\w*|yan[ıi]t\w*|sonuç",
    option=r"seçenek|şık|şıkk[ıi]",
    right=r"do[gğ]ru\w*",
    wrong=r"yanl[ıi]ş\w*|de[gğ]il\w*|hatal[ıi]",
    excludes_after=r"de[gğ]il\w*|yerine|hariç",
    hedges=r"belki|olabilir",
    unsure=r"emin de[gğ]il\w*|bilmiyorum",
    refuses=r"bilmiyorum|bulunmuyor|belirtilmemiş",
    either=r"veya|ya da",
    both=r"ve|ile",
    breaks=r"ama|çünkü|fakat",
)

POLISH = ChoiceWords(
    answer=r"odpowied[źz](?:ią)?|odp|wybór",
    option=r"opcja|wariant",
    copula=r"to|jest|brzmi",
    right=r"poprawn\w*|prawidłow\w*|właściw\w*|prawdziw\w*",
    wrong=r"błędn\w*|nieprawidłow\w*|niepoprawn\w*|fałszyw\w*|niewłaściw\w*",
    negates=r"nie|ani|żaden|żadna",
    hedges=r"być może|możliwe|może|chyba",
    unsure=r"nie wiem|nie jestem pew\w+",
    refuses=r"nie wiem|nie mogę|nie podano",
    either=r"lub|albo|ani",
    both=r"i|oraz",
    breaks=r"ale|lecz|ponieważ|więc",
)

FINNISH = ChoiceWords(
    answer=r"vastaus",
    option=r"vaihtoehto",
    copula=r"on",
    right=r"oikea\w*|oikein",
    wrong=r"väär\w*|virheelli\w*",
    negates=r"ei|eikä|eivät",
    hedges=r"ehkä|saattaa",
    unsure=r"en tiedä|en ole varma",
    refuses=r"en tiedä|en voi",
    either=r"tai",
    both=r"ja",
    breaks=r"mutta|koska",
)

CZECH = ChoiceWords(
    answer=r"odpověď",
    option=r"možnost",
    copula=r"je",
    right=r"správn\w*",
    wrong=r"špatn\w*|nesprávn\w*|chybn\w*",
    negates=r"není|ani|nikoli",
    hedges=r"možná|snad",
    unsure=r"nevím",
    refuses=r"nevím|nelze",
    either=r"nebo|či",
    both=r"a",
    breaks=r"ale|protože",
)

UKRAINIAN = ChoiceWords(
    script=Script.CYRILLIC,
    answer=r"відповідь",
    option=r"варіант",
    copula=r"це|є",
    right=r"правильн\w*|вірн\w*",
    wrong=r"неправильн\w*|невірн\w*|хибн\w*",
    negates=r"не|ні",
    hedges=r"можливо|мабуть",
    unsure=r"не знаю|не впевнен\w*",
    refuses=r"не знаю|не можу",
    either=r"або|чи",
    both=r"і|та|й",
    breaks=r"але|тому",
)

INDONESIAN = ChoiceWords(
    answer=r"jawaban(?:nya)?",
    option=r"pilihan|opsi",
    copula=r"adalah|ialah",
    right=r"benar|tepat",
    wrong=r"salah|keliru",
    negates=r"bukan|tidak",
    hedges=r"mungkin|bisa jadi",
    unsure=r"tidak (?:tahu|yakin)",
    refuses=r"tidak (?:tahu|dapat)",
    either=r"atau",
    both=r"dan",
    breaks=r"tetapi|karena|jadi",
)

OTHERS = (RUSSIAN, TURKISH, POLISH, FINNISH, CZECH, UKRAINIAN, INDONESIAN)
