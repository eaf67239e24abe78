"""A raw text made ready to be read: markup removed, odd characters made plain, sentences found, its language guessed.

`strip_markup` takes off the tags of HTML and the marks of Markdown that come along from a page. `clean` turns Unicode
into the plain characters that the tokeniser knows; `clean_with_offsets` keeps the way back to the raw text's positions.
Whether a sentence ends is decided by two neighbouring chunks, so that most abbreviations and initials end none. The
language is guessed from its commonest small words.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_INLINE = frozenset(["a", "abbr", "b", "code", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u"])
_BLOCKS = "article|blockquote|br|div|figure|figcaption|h[1-6]|hr|img|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul"
_NAMES = "|".join([*sorted(_INLINE), _BLOCKS])
# Spans have a longest size, so that hostile text (marks that are opened ten thousand times) takes no long search.
_UNSEEN = re.compile(r"<(script|style)\b[^<>]*>.{0,5000}?</\1\s*>|<!--.{0,1000}?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:https?://|/|mailto:)[^()\s]*\)")
_BOLD = re.compile(r"\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*")


def strip_markup(text: str) -> str:
    """The text without tags of HTML, entities, Markdown links and bold marks; any other text stays as it is.

    Only names that HTML has are tags, so `<unk>`, `<s>` and "a < b" stay.

    >>> strip_markup("<p>The <b>court</b> ruled &amp; **left**, [it said](https://court.example).</p>")
    ' The court ruled & left, it said. '
    """
    if "<" in text:
        text = _TAG.sub(_space, _UNSEEN.sub(" ", text))
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return _BOLD.sub(r"\1", text) if "**" in text else text


def _space(tag: re.Match[str]) -> str:
    """What replaces a tag: a space for a block, which separates words, nothing for a mark inside a sentence."""
    name = tag[0].strip("</> ").split()[0].lower()
    return "" if name in _INLINE else " "


_SINGLE_QUOTES = "‘’‚‛′´ʼʹ＇"
_DOUBLE_QUOTES = "“”„‟″«»〝〞＂"
_HYPHENS = "‐‑‒–−－"
_LONG_DASHES = "—―⸺"
_SPACES = "\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000"
# Byte order, direction and soft-hyphen marks; joiners stay, since emoji and several scripts need them.
_INVISIBLE = "\u00ad\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
_CONTROLS = "\x00-\x1f\x7f-\x9f"
_SURROGATES = "\ud800-\udfff"
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LETTERS = {"\u212a": "K", "\u212b": "Å", **_LIGATURES}
_PLAIN = {"…": "...", **_LETTERS}

_ODD = (
    f"{_SINGLE_QUOTES}{_DOUBLE_QUOTES}{_HYPHENS}{_LONG_DASHES}{_SPACES}{_INVISIBLE}{_CONTROLS}{_SURROGATES}"
    f"{''.join(_PLAIN)}"
)
# A letter followed by marks that may combine with it (invisible characters between them do not count), an odd
# character, or a decimal digit beyond ASCII.
_FIND = re.compile(rf"(?:[{''.join(_LETTERS)}]|[^{_ODD}{_MARKS}\d])(?:[{_INVISIBLE}]*[{_MARKS}])+|[{_ODD}]|[^\D0-9]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_FIND_ASCII = re.compile(r"[\x00-\x1f\x7f]")


class Cleaned(NamedTuple):
    """A cleaned text and where each of its characters came from.

    starts, ends: for each character of `text` the raw positions it stands for, `raw[starts[i]:ends[i]]`; None
    when the positions are the same.
    """

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The raw text's positions for a non-empty span of the cleaned text."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def clean(text: str) -> str:
    """The text with straight quotes, plain hyphens, `--` and `...`, ASCII digits, ordinary spaces.

    Control characters become spaces, invisible marks vanish, letters and their accents are composed, lone
    surrogates become U+FFFD. Cleaning twice changes nothing.

    >>> clean("“It’s over”, she said — at 9\u00a0p.m. …")
    '"It\\'s over", she said -- at 9 p.m. ...'
    """
    return (_FIND_ASCII if text.isascii() else _FIND).sub(_replace, text)


def clean_with_offsets(text: str) -> Cleaned:
    """As `clean`, keeping the way back to raw positions."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    moved, last = False, 0
    for match in (_FIND_ASCII if text.isascii() else _FIND).finditer(text):
        first, after = match.span()
        new = _replace(match)
        parts += (text[last:first], new)
        starts += [*range(last, first), *[first] * len(new)]
        ends += [*range(last + 1, first + 1), *[after] * len(new)]
        moved = moved or len(new) != 1 or after - first != 1
        last = after
    if not moved:
        return Cleaned("".join(parts) + text[last:], None, None)
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    return Cleaned("".join(parts) + text[last:], starts, ends)


def _replace(match: re.Match[str]) -> str:
    """What an odd character (or a letter with its marks) becomes."""
    found = match[0]
    if len(found) > 1:
        return unicodedata.normalize("NFC", _LETTERS.get(found[0], found[0]) + _HIDDEN.sub("", found[1:]))
    if found not in _known:
        _known[found] = _replacement(found)
    return _known[found]


_known: dict[str, str] = dict(_PLAIN)  # at most one entry for each odd character of Unicode


def _replacement(character: str) -> str:
    groups = ((_SINGLE_QUOTES, "'"), (_DOUBLE_QUOTES, '"'), (_HYPHENS, "-"), (_LONG_DASHES, "--"))
    for characters, plain in groups:
        if character in characters:
            return plain
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if re.match(f"[{_SURROGATES}]", character):
        return "\ufffd"
    return "" if _HIDDEN.match(character) else " "


# White space inside a word would make it two on the page, and control characters would speak to a terminal.
UNFIT = re.compile(r"[^\S\n]|[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def fit_for_a_line(text: str) -> str:
    """The text without what a line may not hold: other white space than blanks, control characters.

    >>> fit_for_a_line("stor\u2028m \x1b[31mhits")
    'storm [31mhits'
    """
    return text if text.isprintable() else UNFIT.sub(lambda found: " " * (found.group() == " "), text.replace("\n", ""))


_MARKED = re.compile(r"(?:^|\s)(?:``|''|-[lr][rsc]b-|'s|n't|'re|'ve|'ll)(?=\s|$)|\s[,.;:?!](?=\s|$)", re.IGNORECASE)


def is_tokenized(text: str) -> bool:
    """Whether a text was taken apart into tokens.

    >>> is_tokenized("the firm ca n't pay , he said"), is_tokenized("the firm can't pay, he said")
    (True, False)
    """
    return _MARKED.search(text) is not None


_STOP = re.compile(r"[.?!…][\])}>\"'”’»]*\Z")
_CHUNK = re.compile(r"\S+")
_OPENING = "\"'`([{<“‘«„"
_CLOSING = "\"')]}>”’»"
_MAY_STOP = frozenset(".?!…" + _CLOSING)


def _list(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Always followed by a name or by more of the same sentence.
_TITLES = _list("""
    mr mrs ms mx dr prof rev hon fr st ste sen sens rep reps gov govs gen col lt maj capt cmdr sgt cpl pvt adm brig
    supt insp det atty pres messrs mt ft vs v rt cf e.g i.e eg ie ald asst assoc dept amb mme mlle approx
""")
# Abbreviations when a number follows; otherwise ordinary words that may end a sentence.
_BEFORE_NUMBER = _list("""
    no nos rs p pp vol art sec ch fig figs ca jan feb mar apr jun jul aug sep sept oct nov dec
""")
# End a sentence only when the next word is one that often begins a sentence.
_ABBREVIATIONS = _list("""
    inc corp co ltd llc plc bros jr sr esq ph.d etc al ave blvd rd sq hwy bldg est tel ext mon tue tues wed thu thur
    thurs oz lb lbs yd km kg hr hrs secs dist univ ala ariz ark calif colo conn fla ga ill ind kan ky md mass mich
    minn mont neb nev okla ore pa penn tenn tex va vt wis wyo ont que alta
""")
_STARTERS = _list("""
    the a an this that these those he she it they we i you his her its their our my but and so yet when while if in
    on at for from as after before since although though because however meanwhile there here what who why how where
    one some many most all both no not now then according police officials
""")
# A number with a point before one of these is a day: "zum 1. Januar".
_MONTHS = _list("""
    januar februar märz april mai juni juli august september oktober november dezember jänner december marts maj
    januari februari augusti
""")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_GREETING = re.compile(
    r"^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|to whom it may concern|hallo|sehr geehrte[rs]?"
    r"|liebe[rs]?|guten (?:tag|morgen|abend))\b[^,.!:\n]{0,40}(?:\.\s[^,!:\n]{0,30})?[,!:]\s+",
    re.IGNORECASE,
)
_PREFACE = re.compile(
    r"^\s*(?:just checking in:|(?:just |this is )?a (?:quick |gentle |friendly )?reminder that"
    r"|just wanted to (?:say|let you know) that"
    r"|(?:i am|i'm|we are) writing to (?:let you know|inform you) that|please note that"
    r"|in this (?:paper|article|work),? we (?:show|find) that"
    r"|(?:i hope|hope) (?:you are|this finds you|you're)[^.!]{0,30}[.!]|the customer reports that)\s+",
    re.IGNORECASE,
)


def ends_sentence(chunk: str, following: str) -> bool:
    """Whether a sentence ends between two neighbouring chunks (strings without white space).

    >>> ends_sentence("Mr.", "Smith"), ends_sentence("home.", "The"), ends_sentence("U.S.", "troops")
    (False, True, False)
    """
    if not _STOP.search(chunk):
        return False
    start = following.lstrip(_OPENING)[:1]
    if not start or start.islower() or not (start.isalnum() or start == "#"):
        return False
    body = chunk.rstrip(_CLOSING)
    if not body.endswith(".") or body.endswith(".."):
        return True
    return not _is_abbreviation(body[:-1].lstrip(_OPENING), following.strip(_OPENING + _CLOSING + ".,;:"))


def _is_abbreviation(word: str, following: str) -> bool:
    """Whether the period after `word` belongs to the word alone."""
    lower = word.lower()
    if lower in _TITLES or (word.isdecimal() and len(word) < 3 and following.lower() in _MONTHS):
        return True
    starts = following.lower() in _STARTERS
    if len(word) == 1 and word.isalpha():
        return word != "I" and not starts
    if lower in _BEFORE_NUMBER:
        return following[:1].isdecimal() or following[:1] == "#"
    if lower in _ABBREVIATIONS or _ACRONYM.fullmatch(word):
        return not starts
    return False


def ending_chunks(chunks: Sequence[str]) -> list[int]:
    """Positions of the chunks that end a sentence, the last chunk always among them; none for no chunks."""
    if not chunks:
        return []
    last = len(chunks) - 1
    ends = [
        i for i, chunk in enumerate(chunks[:last]) if chunk[-1] in _MAY_STOP and ends_sentence(chunk, chunks[i + 1])
    ]
    return [*ends, last]


def split_sentences(text: str) -> list[str]:
    """The text's sentences as they stand in it, without the white space around them.

    >>> split_sentences("Mr. J. K. Doe paid $3.50. \\"Fine,\\" he said. (So it goes.) Done")
    ['Mr. J. K. Doe paid $3.50.', '"Fine," he said.', '(So it goes.)', 'Done']
    """
    spans = [match.span() for match in _CHUNK.finditer(text)]
    sentences, first = [], 0
    for end in ending_chunks([text[a:b] for a, b in spans]):
        sentences.append(text[spans[first][0] : spans[end][1]])
        first = end + 1
    return sentences


def without_preface(text: str) -> str:
    """A message without its greeting and the words that only announce what it says.

    >>> without_preface("Hi team, just a quick reminder that the meeting has moved to Thursday.")
    'The meeting has moved to Thursday.'
    """
    rest = _PREFACE.sub("", _GREETING.sub("", text, count=1), count=1)
    return rest[:1].upper() + rest[1:] if rest != text and len(rest.split()) > 3 else text


def without_footer(text: str) -> str:
    """A feed's text with stops around the title that its footer repeats, so that no clause runs on into it.

    >>> without_footer("PM warns of delay The post Bridge closed for a year appeared first on The Lund Herald .")
    'PM warns of delay . Bridge closed for a year . The Lund Herald .'
    """
    return _FOOTER.sub(r" . \1\2 .", text) if _FOOTED.search(text) else text


_FOOTED = re.compile(r" appeared first on | Continue reading ")
_FOOTER = re.compile(
    r"\s*\b(?:The post (.{1,400}) appeared first on\b|(?:Read More )?Continue reading (.{9,400}) from\b)"
)


def first_sentence(text: str) -> str:
    """The first sentence, an empty string for a blank text."""
    return next(iter(split_sentences(text)), "")


# Frequent small words; those that several languages share count for each of them.
_SMALL_WORDS = {
    "English": """the of and to in a is that for it was on with as by at from be this an are or his her not have has
        had which will but they their its were been who would when if more than said we you i please""",
    "German": """der die das und ist nicht ein eine einen einem einer mit auf für von dem den des sich dass hat wird
        es zu bei auch nach wie aus zum zur sind im am über haben werden war oder noch nur vor bis durch wurde""",
    "French": """le la les des et est un une dans pour que qui sur avec ne pas du au aux par plus ce cette ses son sa
        il elle ont été à mais ou où se leur nous vous""",
    "Spanish": """el la los las de del que y en un una por con no para su se es al lo como más fue ha sus este esta
        pero son entre sobre ya desde""",
    "Italian": """il la le gli di del della dei delle che e un una per con non sono è si al alla nel nella da dal ha
        come più anche ma tra""",
    "Portuguese": """o a os as de do da dos das que e em um uma para com não por se no na nos nas ao é foi mais
        como seu sua pelo pela""",
    "Dutch": """de het een en van in is dat op te voor met zijn niet aan er om ook als door bij uit naar heeft
        worden werd maar nog over die""",
    "Swedish": """och att det som en ett är av för på med den till inte om har från var han hon men sig vid efter
        ska kan de sin""",
    "Danish": """og at det som en et er af for på med den til ikke om har fra var han hun men sig ved efter skal
        kan de sin""",
    "Polish": """i w na z do nie się jest że to o jak za od po przez dla są był oraz ale który przy""",
}
_WORDS = {name: frozenset(words.split()) for name, words in _SMALL_WORDS.items()}
_LEAST = 3  # small words of the other language
_AHEAD = 2  # times as many as of English


def foreign_language(text: str) -> str:
    """The language of a text that is clearly not English; "" where it may be.

    >>> foreign_language("Der Rat hat am Montag entschieden, dass die Brücke nicht gebaut wird.")
    'German'
    >>> foreign_language("The council of Le Mans and El Paso decided on Monday.")
    ''
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(word in known for word in words) for name, known in _WORDS.items()}
    english = counts.pop("English")
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= max(_LEAST, _AHEAD * english) else ""
