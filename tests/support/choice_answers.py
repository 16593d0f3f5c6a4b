"""Answers to multiple-choice questions, constructed by rule: forms in many languages, over options of many kinds.

In a form, {L} and {T} are letter and words of the option that is meant, {W} and {X} those of a wrong one, {V} and {Y}
those of another wrong one, {O} is the ordinal of the option that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

OPTIONS: dict[str, list[tuple[str, ...]]] = {
    "en": [
        ("40 litres", "12 litres", "120 litres", "400 litres"),
        ("The harbour master", "A ferry pilot", "The chief engineer", "The duty officer", "A deckhand"),
        ("Press the red button.", "Do not press the red button.", "Call the office.", "Wait for the alarm."),
        ("1,500 hours", "15,000 hours", "150 hours", "1.5 hours"),
    ],
    "de": [("40 Liter", "12 Liter", "120 Liter", "400 Liter"), ("der Hafenmeister", "die Lotsin", "der Leitstand", "das Büro")],
    "fr": [("40 litres", "12 litres", "120 litres", "400 litres"), ("le capitaine", "la pilote", "l'ingénieur", "le bureau")],
    "es": [("40 litros", "12 litros", "120 litros", "400 litros"), ("el capitán", "la piloto", "el ingeniero", "la oficina")],
    "it": [("40 litri", "12 litri", "120 litri", "400 litri"), ("il capitano", "la pilota", "l'ingegnere", "l'ufficio")],
    "pt": [("40 litros", "12 litros", "120 litros", "400 litros"), ("o capitão", "a piloto", "o engenheiro", "o escritório")],
    "nl": [("40 liter", "12 liter", "120 liter", "400 liter"), ("de havenmeester", "de loods", "de ingenieur", "het kantoor")],
    "ru": [("40 литров", "12 литров", "120 литров", "400 литров"), ("капитан", "лоцман", "инженер", "контора")],
    "zh": [("30分钟", "60分钟", "90分钟", "120分钟"), ("港务长", "引航员", "总工程师", "值班员")],
    "ja": [("30分以内", "60分以内", "90分以内", "120分以内"), ("港長", "水先人", "機関長", "当直士官")],
    "ko": [("30분", "60분", "90분", "120분"), ("항만장", "도선사", "기관장", "당직사관")],
    "ar": [("30 يوما", "12 يوما", "60 يوما", "سنة"), ("القبطان", "المرشد", "المهندس", "المكتب")],
    "hi": [("30 दिन", "12 दिन", "60 दिन", "एक वर्ष"), ("कप्तान", "पायलट", "अभियंता", "कार्यालय")],
}

ORDINALS: dict[str, str] = {
    "en": "first second third fourth fifth",
    "de": "erste zweite dritte vierte fünfte",
    "fr": "première deuxième troisième quatrième cinquième",
    "es": "primera segunda tercera cuarta quinta",
    "it": "prima seconda terza quarta quinta",
    "pt": "primeira segunda terceira quarta quinta",
    "nl": "eerste tweede derde vierde vijfde",
    "ru": "первый второй третий четвёртый пятый",
    "zh": "第一个 第二个 第三个 第四个 第五个",
    "ja": "1番目 2番目 3番目 4番目 5番目",
    "ko": "첫번째 두번째 세번째 네번째 다섯번째",
    "ar": "الأول الثاني الثالث الرابع الخامس",
    "hi": "पहला दूसरा तीसरा चौथा पाँचवाँ",
}

COMMON = (
    "{L}",
    "({L})",
    "{L}.",
    "{L})",
    "**{L}**",
    "[{L}]",
    "{L}) {T}",
    "{L}. {T}",
    "{L}: {T}",
    "{L} - {T}",
    "**{L}) {T}**",
    "{T}",
    "{T}.",
    "**{T}**",
    "{T} ({L})",
    "\\boxed{{{L}}}",
    "$\\boxed{{\\text{{{L}}}}}$",
    "<answer>{L}</answer>",
    "<answer>{T}</answer>",
    '{{"answer": "{L}"}}',
    '{{"choice": "{L}", "reasoning": "{W} is tempting."}}',
    '```json\n{{"reason": "{W}?", "answer": "{L}"}}\n```',
    '{{"final_answer": "{L}) {T}"}}',
    "<think>{W}) {X}? It may be {W}. The answer is {W}.</think>{L}",
    "It must be {W}, I think.\n</think>\n\n{L}",
    "{L}\n\n{W}) {X} is the old value.",
    "<think>{X}</think>\n<answer>{L}</answer>",
    "> {L}",
    "- {L}) {T}",
    "# {L}",
    "A) {a}\nB) {b}\nC) {c}\n\\boxed{{{L}}}",
)

FORMS: dict[str, tuple[str, ...]] = {
    "en": (
        "Answer: {L}", "The answer is {L}.", "Final answer: {L}", "The correct answer is ({L}).", "The correct option is {L}.",
        "Based on the provided context, the answer is {L}.", "I choose {L}.", "Option {L}", "It's {L}.", "So the answer is **{L}**.",
        "The answer is {T}.", "Answer: {T}", "The {O} option.", "The {O} one is correct.", "{L} is correct.", "{L} is the right answer, because the manual says so.",
        "{W} is wrong. {L} is right.", "{W}) is wrong. {L}) is right.", "Not {W}, but {L}.", "{W} is incorrect, so the answer is {L}.",
        "Some say {W}, but the answer is {L}.", "Option {W} is \"{X}\", which is mentioned elsewhere. Therefore, the answer is {L}.",
        "We can rule out {W} and {V}. The answer is {L}.", "{W}? No, {L}.", "The answer is {W}. Wait, no, the answer is {L}.",
        "The answer is {L}, not {W}.", "I would go with {L}.", "Therefore, {L}.", "It is not {X}. It is {T}.", "The answer is {L} rather than {W}.",
        "The answer is {L}: {T}", "**Answer:** {L}", "**Final Answer**\n\n{L}", "Let me think. {X} is the old value. So it is {T}.",
        "{L}, because {X} is mentioned elsewhere.", "Neither {W} nor {V}; the answer is {L}.",
    ),
    "de": (
        "Antwort: {L}", "Die Antwort ist {L}.", "Die richtige Antwort ist {L}.", "Die richtige Antwort lautet {L}.", "Richtig ist {L}.", "Option {L} ist richtig.",
        "Endgültige Antwort: {L}", "Ich wähle {L}.", "Die Antwort ist {T}.", "Die {O} Option.", "{W} ist falsch. {L} ist richtig.", "Nicht {W}, sondern {L}.",
        "{W} ist nicht korrekt, daher ist die Antwort {L}.", "Laut Kontext ist die richtige Antwort {L}.", "Die Antwort ist {L}, nicht {W}.", "Somit {L}.",
        "Es ist nicht {X}, sondern {T}.", "{W} scheidet aus. Die Antwort ist {L}.", "**Antwort: {L}**", "Weder {W} noch {V}, die Antwort ist {L}.",
    ),
    "fr": (
        "Réponse : {L}", "La réponse est {L}.", "La bonne réponse est {L}.", "La réponse correcte est la {L}.", "La bonne réponse est l'option {L}.", "Réponse finale : {L}",
        "Je choisis {L}.", "La réponse est {T}.", "La {O} option.", "{W} est faux. {L} est correct.", "Ce n'est pas {W}, c'est {L}.", "Pas {W}, mais {L}.",
        "{W} est incorrecte, donc la réponse est {L}.", "D'après le contexte, la réponse est {L}.", "La réponse est {L}, et non {W}.", "Donc, {L}.",
        "Ce n'est pas {X}. La réponse est {T}.", "C'est {L}.", "**Réponse : {L}**", "Ni {W} ni {V} ; la réponse est {L}.",
    ),
    "es": (
        "Respuesta: {L}", "La respuesta es {L}.", "La respuesta correcta es la {L}.", "La opción correcta es la {L}.", "Respuesta final: {L}", "Elijo {L}.",
        "La respuesta es {T}.", "La {O} opción.", "{W} es incorrecta. {L} es correcta.", "No es {W}, sino {L}.", "{W} no es correcta, así que la respuesta es {L}.",
        "Según el contexto, la respuesta es {L}.", "La respuesta es {L}, no {W}.", "Por lo tanto, {L}.", "No es {X}. La respuesta es {T}.", "Es la {L}.",
        "**Respuesta: {L}**", "Ni {W} ni {V}; la respuesta es {L}.", "La respuesta correcta es la opción {L}.", "La letra {L} es la correcta.",
    ),
    "it": (
        "Risposta: {L}", "La risposta è {L}.", "La risposta corretta è la {L}.", "L'opzione corretta è la {L}.", "Risposta finale: {L}", "Scelgo {L}.",
        "La risposta è {T}.", "La {O} opzione.", "{W} è sbagliata. {L} è corretta.", "Non è {W}, ma {L}.", "{W} non è corretta, quindi la risposta è {L}.",
        "In base al contesto, la risposta è {L}.", "La risposta è {L}, non {W}.", "Quindi, {L}.", "Non è {X}. La risposta è {T}.", "È la {L}.",
        "**Risposta: {L}**", "Né {W} né {V}; la risposta è {L}.", "La risposta giusta è l'opzione {L}.", "L'opzione {L} è quella giusta.",
    ),
    "pt": (
        "Resposta: {L}", "A resposta é {L}.", "A resposta correta é a {L}.", "A opção correta é a {L}.", "Resposta final: {L}", "Escolho {L}.",
        "A resposta é {T}.", "A {O} opção.", "{W} está errada. {L} está correta.", "Não é {W}, mas {L}.", "{W} não está correta, portanto a resposta é {L}.",
        "De acordo com o contexto, a resposta é {L}.", "A resposta é {L}, não {W}.", "Portanto, {L}.", "Não é {X}. A resposta é {T}.", "É a {L}.",
        "**Resposta: {L}**", "Nem {W} nem {V}; a resposta é {L}.", "A alternativa correta é a letra {L}.", "Gabarito: {L}",
    ),
    "nl": (
        "Antwoord: {L}", "Het antwoord is {L}.", "Het juiste antwoord is {L}.", "De juiste optie is {L}.", "Eindantwoord: {L}", "Ik kies {L}.",
        "Het antwoord is {T}.", "De {O} optie.", "{W} is fout. {L} is juist.", "Niet {W}, maar {L}.", "{W} is niet correct, dus het antwoord is {L}.",
        "Op basis van de context is het antwoord {L}.", "Het antwoord is {L}, niet {W}.", "Dus {L}.", "Het is niet {X}. Het antwoord is {T}.", "Het is {L}.",
        "**Antwoord: {L}**", "Noch {W} noch {V}; het antwoord is {L}.", "Optie {L} is juist.", "Het goede antwoord is optie {L}.",
    ),
    "ru": (
        "Ответ: {L}", "Правильный ответ: {L}.", "Правильный ответ — {L}.", "Верный вариант: {L}", "Окончательный ответ: {L}", "Я выбираю {L}.",
        "Ответ: {T}", "{O} вариант.", "{W} неверно. {L} верно.", "Не {W}, а {L}.", "{W} — неправильный ответ, поэтому ответ {L}.",
        "Согласно контексту, правильный ответ — {L}.", "Ответ {L}, а не {W}.", "Следовательно, {L}.", "Это не {X}. Ответ: {T}.", "Это {L}.",
        "**Ответ: {L}**", "Ни {W}, ни {V}; ответ — {L}.", "Правильный вариант ответа — {L}.", "Вариант {L} правильный.",
    ),
    "zh": (
        "答案：{L}", "答案是{L}。", "正确答案是 {L}。", "正确答案为{L}", "选{L}", "应选{L}。", "故选{L}。", "最终答案：{L}", "答案是{T}。", "{O}选项。",
        "{W}不正确，{L}正确。", "不是{W}，而是{L}。", "{W}是错误的，所以答案是{L}。", "根据上下文，答案是{L}。", "答案是{L}，不是{W}。", "因此，{L}。",
        "不是{X}，是{T}。", "排除{W}和{V}，选{L}。", "**答案：{L}**", "我选择{L}。", "{L}选项正确。", "选项{L}是正确的。",
    ),
    "ja": (
        "答え：{L}", "答えは{L}です。", "正解は{L}です。", "正解：{L}", "正しい答えは{L}です。", "最終回答：{L}", "{L}です。", "答えは{T}です。", "{O}の選択肢です。",
        "{W}は間違いです。{L}が正しいです。", "{W}ではなく、{L}です。", "{W}は誤りなので、答えは{L}です。", "文脈によると、答えは{L}です。", "正解は{W}ではなく{L}です。",
        "したがって、{L}です。", "{X}ではありません。{T}です。", "{L}を選びます。", "**答え：{L}**", "選択肢{L}が正解です。", "{L}が正解です。",
    ),
    "ko": (
        "정답: {L}", "정답은 {L}입니다.", "답은 {L}입니다.", "최종 답변: {L}", "정답은 {L}", "{L}입니다.", "답은 {T}입니다.", "{O} 선택지입니다.",
        "{W}는 틀렸습니다. {L}가 맞습니다.", "{W}가 아니라 {L}입니다.", "{W}는 틀렸으므로 정답은 {L}입니다.", "문맥에 따르면 정답은 {L}입니다.", "따라서 {L}입니다.",
        "{X}이 아닙니다. {T}입니다.", "{L}를 선택합니다.", "**정답: {L}**", "선택지 {L}가 정답입니다.", "옳은 것은 {L}입니다.", "{L}가 정답입니다.", "저는 {L}를 고르겠습니다.",
    ),
    "ar": (
        "الإجابة: {L}", "الإجابة هي {L}.", "الإجابة الصحيحة هي {L}.", "الجواب الصحيح هو {L}.", "الإجابة النهائية: {L}", "أختار {L}.", "الإجابة هي {T}.",
        "الخيار {O}.", "{W} خطأ. {L} صحيح.", "ليس {W} بل {L}.", "{W} غير صحيح، لذلك الإجابة هي {L}.", "وفقا للسياق، الإجابة هي {L}.", "الإجابة هي {L} وليست {W}.",
        "لذلك، {L}.", "ليس {X}. الإجابة هي {T}.", "الخيار {L}", "**الإجابة: {L}**", "الخيار الصحيح هو {L}.", "الخيار {L} هو الصحيح.", "لا {W} ولا {V}؛ الإجابة هي {L}.",
    ),
    "hi": (
        "उत्तर: {L}", "उत्तर {L} है।", "सही उत्तर {L} है।", "सही उत्तर है: {L}", "सही विकल्प {L} है।", "अंतिम उत्तर: {L}", "जवाब: {L}", "उत्तर {T} है।", "{O} विकल्प।",
        "{W} गलत है। {L} सही है।", "{W} नहीं, बल्कि {L}।", "{W} गलत है, इसलिए उत्तर {L} है।", "संदर्भ के अनुसार, उत्तर {L} है।", "उत्तर {L} है, {W} नहीं।", "इसलिए, {L}।",
        "{X} नहीं। उत्तर {T} है।", "विकल्प {L}", "**उत्तर: {L}**", "विकल्प {L} सही है।", "मैं {L} चुनता हूँ।",
    ),
}

NO_CHOICE: dict[str, tuple[str, ...]] = {
    "en": (
        "{W} or {L}", "Either {W} or {L}.", "{W} or possibly {L}", "It could be {L}.", "Maybe {W}, maybe {L}.", "{W} is wrong.", "It is not {X}.", "Not {W}.", "I cannot answer this question.",
        "I don't know.", "The answer is {W} and {L}.", "Rule out {W}.", "{W} and {V} are incorrect.", "It might be {T}.", "I am not sure whether it is {W} or {L}.", "The answer is not {W}.",
        "Neither {X} nor {Y}.", "Both {W} and {L} are correct.", "Possibly {L}.", "<think>The answer is {L}.", "The answer is neither {W} nor {V}.",
    ),
    "de": ("{W} oder {L}", "Entweder {W} oder {L}.", "Es könnte {L} sein.", "{W} ist falsch.", "Die Antwort ist nicht {W}.", "Ich weiß es nicht.", "Vielleicht {L}.", "{W} und {V} sind falsch.", "Weder {W} noch {V}."),
    "fr": ("{W} ou {L}", "Soit {W}, soit {L}.", "Cela pourrait être {L}.", "{W} est faux.", "La réponse n'est pas {W}.", "Je ne sais pas.", "Peut-être {L}.", "{W} et {V} sont incorrectes.", "Ni {W} ni {V}."),
    "es": ("{W} o {L}", "O bien {W} o bien {L}.", "Podría ser {L}.", "{W} es incorrecta.", "La respuesta no es {W}.", "No lo sé.", "Quizás {L}.", "{W} y {V} son incorrectas.", "Ni {W} ni {V}."),
    "it": ("{W} o {L}", "Potrebbe essere {L}.", "{W} è sbagliata.", "La risposta non è {W}.", "Non lo so.", "Forse {L}.", "{W} e {V} sono sbagliate.", "Né {W} né {V}."),
    "pt": ("{W} ou {L}", "Poderia ser {L}.", "{W} está errada.", "A resposta não é {W}.", "Não sei.", "Talvez {L}.", "{W} e {V} estão erradas.", "Nem {W} nem {V}."),
    "nl": ("{W} of {L}", "Het zou {L} kunnen zijn.", "{W} is fout.", "Het antwoord is niet {W}.", "Ik weet het niet.", "Misschien {L}.", "{W} en {V} zijn fout.", "Noch {W} noch {V}."),
    "ru": ("{W} или {L}", "Возможно, {L}.", "{W} неверно.", "Ответ не {W}.", "Я не знаю.", "Может быть, {L}.", "{W} и {V} неверны.", "Ни {W}, ни {V}."),
    "zh": ("{W}或{L}", "可能是{L}。", "{W}是错误的。", "答案不是{W}。", "我不知道。", "也许{L}。", "{W}和{V}都不对。", "不是{X}。"),
    "ja": ("{W}または{L}", "{L}かもしれません。", "{W}は間違いです。", "答えは{W}ではありません。", "わかりません。", "{W}と{V}は誤りです。", "{X}ではありません。"),
    "ko": ("{W} 또는 {L}", "{L}일 수도 있습니다.", "{W}는 틀렸습니다.", "정답은 {W}가 아닙니다.", "모르겠습니다.", "{W}와 {V}는 틀렸습니다.", "{X}이 아닙니다."),
    "ar": ("{W} أو {L}", "ربما {L}.", "{W} خطأ.", "الإجابة ليست {W}.", "لا أعرف.", "قد يكون {L}.", "{W} و {V} خاطئتان."),
    "hi": ("{W} या {L}", "शायद {L}।", "{W} गलत है।", "उत्तर {W} नहीं है।", "मुझे नहीं पता।", "यह {L} हो सकता है।", "{W} और {V} गलत हैं।"),
}


def _filled(form: str, options: tuple[str, ...], meant: int, language: str) -> str:
    count = len(options)
    wrong, other = (meant + 1) % count, (meant + 2) % count
    return form.format(
        L=ascii_uppercase[meant],
        T=options[meant].rstrip("."),
        W=ascii_uppercase[wrong],
        X=options[wrong].rstrip("."),
        V=ascii_uppercase[other],
        Y=options[other].rstrip("."),
        O=ORDINALS[language].split()[meant],
        a=options[0],
        b=options[1],
        c=options[2],
    )


def answers() -> Iterator[tuple[str, str, tuple[str, ...], int | None]]:
    """Language, answer, options, and the option that is meant; None where none is."""
    for language, sets in OPTIONS.items():
        for options in sets:
            for meant in range(len(options)):
                for form in (*COMMON, *FORMS[language]):
                    yield language, _filled(form, options, meant, language), options, meant
                for form in NO_CHOICE[language]:
                    yield language, _filled(form, options, meant, language), options, None
