"""Words that a headline hangs on something else than its lead does, and phrases that it breaks off.

They are asked for only where the headline has one of a few small words, or the lead one that such errors need
(`clauses.torn`). Each says what a reader would take the headline for, and what the lead has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    ARTICLES,
    HELPING,
    LINKS,
    RELATIVES,
    SAYING,
    SPEAKING,
    STOPS,
    TO_BE,
    Words,
    is_one_place,
    is_verb,
    neighbours,
)
from hedline.text.polarity_words import BORDERS, FEW, PRONOUNS, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _lost_noun(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "beaten by Peru" for "beaten by a qualifier from Peru", "accused of foreign powers" for "of plotting with"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        where = places[target]
        if token not in _GOVERNING or where < 3 or places[place - 1] < 0 or not is_one_place(told, said.stems[target]):
            continue
        link = next((i for i in range(where - 1, max(where - 4, 0), -1) if told.lower[i] in LINKS), -1)
        own = next((i for i in range(link - 1, max(link - 7, -1), -1) if told.lower[i] == token), -1)
        if link < 0 or told.lower[link] not in _BETWEEN or not places[place - 1] < own:
            continue
        gap = range(own + 1, link)
        verb = is_verb(told, where) and told.lower[where - 1] not in ARTICLES
        if verb or any(_parts(told, i) for i in gap) or not STOPS.isdisjoint(told.lower[link:where]):
            continue
        nouns = [i for i in gap if told.lower[i] not in FEW]
        if nouns and not any(i in places or told.stems[i] in _TRANSPARENT for i in nouns):
            yield f"{token} {said.lower[target]}"


def _parts(told: Words, place: int) -> bool:
    """Whether a word stands between a preposition and its noun only where the noun is another's: a verb, a border."""
    token = told.lower[place]
    return token in STOPS | BORDERS | LINKS | RELATIVES | _DAYS or token[0].isdigit() or is_verb(told, place)


_GOVERNING = word_set("by of from against with on")
_BETWEEN = word_set("with from near against to for")
_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday whether")
_TRANSPARENT = listed.STANDING_FOR | listed.SHARED | listed.NUMBERS


def _lost_reason(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "organisers of the eruption" for "organisers called it off because of the eruption"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if min(here, there) < 0 or "of" not in said.lower[left + 1 : right]:
            continue
        link = next((i for i in range(there - 1, max(there - 4, 0), -1) if told.lower[i] == "of"), 0)
        if link and told.lower[link - 1] in _BEFORE_OF and link - 1 != here and told.lower[link - 1] not in said.lower:
            yield f"{said.lower[left]} of {said.lower[right]}"


_BEFORE_OF = word_set("because ahead instead short out front outside regardless behalf")


def _ends_early(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A comparison, a particle, an object or what something is called, broken off: "to return to work as long"."""
    end = len(said) - (said.lower[-1] in STOPS and len(said) > 2)
    token, before, last = said.lower[end - 1], said.lower[max(end - 2, 0)], places[end - 1]
    for i in range(1, len(told) - 1):
        pair, after = (told.lower[i - 1], told.lower[i]), told.lower[i + 1]
        if pair == (before, token) and before in ("as", "times") and after in ("as", "than"):
            yield f"{token} {after}"
        if token == "times" and pair[1] == "times" and pair[0] == before and before in listed.NUMBERS and after == "as":
            yield token
    if not 0 < last < len(told) - 2:
        return
    after = told.lower[last + 1]
    thinks = told.stems[last] in _BELIEVING and not RELATIVES.isdisjoint(said.lower[max(end - 5, 0) : end - 1])
    acts = before in PRONOUNS and token.endswith("s") and after in ARTICLES
    complement = token in _BECOMING and after not in STOPS | BORDERS
    if (thinks and after not in STOPS) or acts or complement or (is_verb(told, last) and after in _PARTICLES):
        yield token
    named = after in ("a", "an") and told.lower[last + 2] not in _TIMES and not is_verb(told, last)
    if named and not _NAMING.isdisjoint(said.stems[:end]) and _NAMING & set(told.stems[max(last - 6, 0) : last]):
        yield f"{token} {after}"


_BELIEVING = word_set("believ think suspect claim alleg say")
_BECOMING = word_set("proved proves prove became remained seemed turned")
_PARTICLES = word_set("out up away back aside")
_NAMING = word_set("declar consider deem brand label dub elect appoint mak")
_TIMES = word_set("year month week day few hour decade century barrel litre kilo pound tonne")


def _another_doer(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "lawyer tells court he shot" for "the lawyer told the court that his client had shot"."""
    for place, token in enumerate(said.lower[:-1]):
        verb = next((i for i in range(place + 1, min(place + 4, len(said))) if said.lower[i] not in FEW), 0)
        where = places[verb] if token in PRONOUNS and verb else -1
        if where < 2 or not is_verb(told, where) or not is_one_place(told, said.stems[verb]):
            continue
        near = range(where - 1, max(where - 5, 0), -1)
        doer = next((i for i in near if told.lower[i] not in FEW and not told.lower[i].endswith("ly")), 0)
        if not doer or token in told.lower[max(where - 4, 0) : where] or not STOPS.isdisjoint(told.lower[doer:where]):
            continue
        owned = told.lower[doer - 1] in ("his", "her", "their", "its") and not is_verb(told, doer)
        if owned and told.stems[doer] not in said.known:
            yield f"{token} {said.lower[verb]}"


def _lost_according(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Mother of the boy, police ignored calls" for "According to the mother of the boy, police ignored …"."""
    comma = told.lower.index(",") if told.lower[:2] == ("according", "to") and "," in told.lower else 0
    nouns = {told.stems[i] for i in range(1, comma) if told.lower[i - 1] in ARTICLES}  # "the accused"
    subject = next((i for i in range(comma + 1, len(told)) if told.lower[i] not in FEW), 0) if comma else 0
    begun = next((where for where in places if where >= 0), -1)
    silent = ((SPEAKING | SAYING | _TELLING) - {"report", ":"}).isdisjoint({*said.lower, *said.known})
    if 2 <= begun < comma < max(places) and subject not in places and silent:
        yield told.lower[subject]  # "Mother of the boy ignored calls: report"
        return
    if not comma or not (SPEAKING | SAYING | _TELLING).isdisjoint({*said.lower, *said.known} - nouns):
        return
    first = next((where for where in places if where >= 0), -1)
    if 2 <= first < comma < max(places):
        yield "according"


_TELLING = word_set(": according report find show reveal suggest claim warn study survey poll ?")


def _expected(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "bank cuts rate" for "did not change its rate; analysts had expected a cut"."""
    for place, where in enumerate(places[:-1]):
        if not place or where < 2 or told.stems[where] not in _CHANGING or said.lower[place] == told.lower[where]:
            continue
        ruler = next((i for i in range(where - 1, max(where - 5, -1), -1) if told.stems[i] in _HOPING), -1)
        noun = ruler >= 0 and told.lower[ruler + 1] in ARTICLES | {"for"} and is_one_place(told, told.stems[where])
        if noun and said.lower[place].endswith("s") and told.stems[ruler] not in said.known:
            yield f"{told.lower[ruler]} {told.lower[where]}"


_HOPING = word_set("expect predict forecast hop fear threaten call demand propos seek urg anticipat")
_CHANGING = word_set("cut ris increas hik fall drop ban strik win attack vot rais boost defeat")


def _asked(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Board asks whether" for "Asked whether …, the chief of the board said"."""
    if told.lower[0] in _PARTICIPLES and 0 in places[1:]:
        form = said.lower[places.index(0)]
        yield from [form] if form.endswith("s") else []


_PARTICIPLES = word_set("asked accused charged quoted urged told warned pressed questioned criticised criticized")


def _half_contrast(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "go not to banks hit by floods" for "go not to banks but to small firms hit by floods"."""
    for i, token in enumerate(told.lower):
        border = next((j for j in range(i + 1, min(i + 12, len(told))) if told.lower[j] in STOPS | {"but"}), 0)
        if token != "not" or not border or told.lower[border] != "but" or told.lower[i + 1] in ("only", "just"):
            continue
        first = next((j for j in range(border + 1, len(told)) if told.lower[j] not in FEW), border)
        sides = any(i < where < border for where in places) and any(where > first for where in places)
        if sides and first not in places and "but" not in said.lower and STOPS.isdisjoint(said.lower):
            yield "but"


def _lost_total(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Nine men sentenced to 108 years" for "nine men were sentenced to a total of 108 years"."""
    for i in range(2, len(told) - 2):
        if told.lower[i] not in ("total", "combined") or told.lower[i - 2 : i] != ("to", "a"):
            continue
        number = next((token for token in told.lower[i + 1 : i + 4] if token[0].isdigit()), "")
        if number in said.lower and _TOTAL.isdisjoint(said.lower):
            yield told.lower[i]


_TOTAL = word_set("total combined together between")


def _verdicts(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "sentenced to prison", "faces trial", "charged with" where nobody in the lead is."""
    for token, where in zip(said.lower, places, strict=True):
        wanted = _COURT.get(token)
        if wanted and where < 0 and wanted.isdisjoint(told.known):
            yield token


_SENTENCES = word_set("sentenc jail convict guilty imprison verdict serv")
_CHARGES = word_set(
    "charg indict arraign court plead trial retrial convict sentenc try prosecut jury judg guilty lawsuit"
)
_COURT = {
    **dict.fromkeys(("sentenced", "jailed", "convicted"), _SENTENCES),
    **dict.fromkeys(("charged", "indicted"), _CHARGES),
    "trial": _CHARGES | word_set("study patient prosecutor defens defenc"),
}


def _frames(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "How to watch" where somebody said something, and nothing to the reader."""
    if said.lower[:2] != ("how", "to") or not {"how", "?"}.isdisjoint(told.lower):
        return
    spoken = {"you", "your"}.isdisjoint(told.lower) and not {"said", "says", "told"}.isdisjoint(told.lower)
    forbids = told.lower[0] in ("don't", "don’t", "never", "please") or told.lower[:2] == ("do", "not")
    if spoken or forbids:
        yield "how to"


def _gerunds(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "husband sold shares before asking for help" for "before it asked for help"."""
    for place, token in enumerate(said.lower[1:], 1):
        where = places[place]
        joint = said.lower[place - 1] in ("before", "after", "while")
        if joint and token.endswith("ing") and where > 2 and told.lower[where - 1] == "it" and is_verb(told, where):
            yield f"it {told.lower[where]}"


def _turned_object(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "farmers not to blame" for "not to blame farmers"."""
    for place, where in enumerate(places[2:-1], 2):
        infinitive = where > 0 and told.lower[where - 1] == said.lower[place - 1] == "to"
        if infinitive and where + 1 in places[: place - 1] and said.lower[place + 1] in LINKS:
            yield f"{told.lower[where]} {told.lower[where + 1]}"


def _no_participle(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "referee was not saw": a past tense after "was" or "has"."""
    for place, token in enumerate(said.lower[1:], 1):
        before = next((each for each in reversed(said.lower[max(place - 2, 0) : place]) if each != "not"), "")
        if token in _PASTS and said.raw[place].islower() and before in TO_BE | {"has", "have", "had"}:
            yield f"{before} {token}"


_PASTS = word_set("saw went took gave knew wrote fell rose began drew grew chose drove spoke stole sang threw flew ate")


def _half_neither(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "neither offered a loan" for "neither offered nor was asked for one", "nor asked" for "nor been asked"."""
    if "nor" not in told.lower:
        return
    after = said.lower[said.lower.index("neither") + 1 :] if "neither" in said.lower else ()
    if after and after[0] != "of" and {"nor", "or"}.isdisjoint(after):
        yield "neither"
    for i in range(len(told) - 2):
        asked = (told.lower[i], told.lower[i + 2])
        if asked[0] == "nor" and told.lower[i + 1] in ("be", "been") and asked in pairwise(said.lower):
            yield f"nor {asked[1]}"


def _empty_links(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A preposition before a word that is none of its own: "to sing in only if", "before other than"."""
    for pair in pairwise(said.lower):
        if pair[0] in _LINKING and pair[1] in _NO_NOUN and pair not in pairwise(told.lower):
            yield " ".join(pair)


_LINKING = word_set("before after since until of from with by at near against in for on into between")
_NO_NOUN = word_set("other than only and or but if will would is are was were has have had to")


def _lost_subject(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Unless a buyer is found in town will be turned into flats" without "the last cinema"."""
    first = told.lower[0]
    if first not in _OPENING or said.lower[0] != first or "," not in told.lower or "," in said.lower:
        return
    comma = told.lower.index(",")
    subject = [i for i in range(comma + 1, len(told)) if told.lower[i] not in FEW and told.lower[i] not in STOPS][:2]
    inside, outside = any(0 < where < comma for where in places), any(where > comma for where in places)
    if inside and outside and subject and not set(subject) & set(places):
        yield first


_OPENING = word_set("unless if should although though while without despite after when barring once had because since")


def _lost_measure(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "holds a fifth of water" for "a fifth of the water it held a year ago"; "up 9 to 12" for "from 9 to 12"."""
    end = len(said) - (said.lower[-1] in STOPS and len(said) > 2)
    last = places[end - 1]
    share = not _FRACTIONS.isdisjoint(said.lower[max(end - 5, 0) : end])
    if share and 0 < last < len(told) - 1 and told.lower[last + 1] in PRONOUNS:
        yield said.lower[end - 1]
    for before, token in pairwise(said.lower):
        if not token[0].isdigit() or told.lower.count(token) != 1 or before in LINKS:
            continue
        where = told.lower.index(token)
        link = told.lower[where - 1] if where else ""
        beginning = link == "from" and "to" in told.lower[where + 1 : where + 4]
        if beginning or (link == "to" and "from" in told.lower[max(where - 5, 0) : where]):
            yield f"{link} {token}"


_FRACTIONS = word_set("half third quarter fifth tenth twice times")


def _accused_instead(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "expelled by Belarus accused of paying" for "expelled by Belarus, which accused him of paying"."""
    for place, where in enumerate(places[1:-1], 1):
        link = said.lower[place + 1]
        if where < 2 or link not in ("of", "for", "from") or told.lower[where - 1] not in ("which", "who"):
            continue
        whom = told.lower[where + 1 : where + 2] in _WHOM and link in told.lower[where + 2 : where + 6]
        free = {"who", "which", ","}.isdisjoint(said.lower[:place])
        if whom and free and is_verb(told, where) and said.lower[place].endswith("ed"):
            yield f"{said.lower[place]} {link}"


_WHOM = tuple((each,) for each in ("him", "her", "them", "it", "the", "a", "an", "his", "their", "its"))


def _another_aim(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "president fails to return to work" for "failed to persuade dockers to return to work"."""
    for place in range(1, len(said) - 2):
        here, there = places[place], places[place + 2]
        if said.lower[place + 1] != "to" or here < 0 or there < here + 4 or told.lower[there - 1] != "to":
            continue
        asks = told.lower[here + 1] == "to" and told.stems[here + 2] in _CAUSING and here + 2 not in places
        if asks and STOPS.isdisjoint(told.lower[here:there]):
            yield f"{told.lower[here + 2]} {told.lower[there]}"


_CAUSING = word_set("persuad ask urg forc allow convinc order invit requir enabl encourag press tell get")


def _moved_place(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "to meet in Riga" for "will meet in Tallinn after visiting Riga"; "May be moved" where May is the month."""
    for place, token in enumerate(said.lower[:-1]):
        where = places[place + 1]
        if token == "may" and said.lower[place + 1] in ("be", "have", "not"):
            yield from ["may"] if "may" not in told.raw and "May" in told.raw[1:] else []
        if token not in ("in", "at") or where < 2 or told.raw[where].islower() or token not in told.lower[:where]:
            continue
        own = told.lower.index(token) + 1
        if told.lower[where - 1].endswith("ing") and told.raw[own][0].isupper() and own not in places:
            yield f"{token} {said.lower[place + 1]}"


def _unfinished(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A verb without its object before another verb: "whose dog bit was fined"."""
    for place, where in enumerate(places[:-1]):
        if where < 0 or where + 2 >= len(told) or not is_verb(told, where) or said.lower[place + 1] not in HELPING:
            continue
        if (
            told.lower[where - 1] not in HELPING | {"to"}
            and told.lower[where + 1] in ARTICLES
            and said.lower[place] == told.lower[where]
        ):
            yield said.lower[place]


RULES: tuple[Rule, ...] = (
    _lost_noun, _lost_reason, _ends_early, _another_doer, _lost_according, _expected, _asked, _half_contrast,
    _lost_total, _verdicts, _frames, _gerunds, _turned_object, _no_participle, _half_neither, _empty_links,
    _lost_subject, _lost_measure, _accused_instead, _another_aim, _moved_place, _unfinished,
)  # fmt: skip
