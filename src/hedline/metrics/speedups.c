/* Optional compiled forms of two inner loops of ROUGE: the stemmer and the bootstrap's draws. hedline works without
 * them; porter.py and bootstrap.py hold the same rules in Python, and the tests compare the two.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

/* A word being stemmed: no rule makes it longer than it was. */
typedef struct {
    char *letters;
    Py_ssize_t length;
} Word;

typedef struct {
    const char *suffix, *replacement;
    Py_ssize_t length;
} Rule;

#define RULE(suffix, replacement) {suffix, replacement, (Py_ssize_t)sizeof(suffix) - 1}
#define END {NULL, NULL, 0}

/* Longest suffix first: the first that fits decides, as the leftmost match does in the script. */
static const Rule STEP_2[] = {
    RULE("ational", "ate"), RULE("ization", "ize"), RULE("iveness", "ive"), RULE("fulness", "ful"),
    RULE("ousness", "ous"), RULE("tional", "tion"), RULE("biliti", "ble"),  RULE("entli", "ent"),
    RULE("ousli", "ous"),   RULE("ation", "ate"),   RULE("alism", "al"),    RULE("aliti", "al"),
    RULE("iviti", "ive"),   RULE("enci", "ence"),   RULE("anci", "ance"),   RULE("izer", "ize"),
    RULE("alli", "al"),     RULE("ator", "ate"),    RULE("logi", "log"),    RULE("bli", "ble"),
    RULE("eli", "e"), END};
static const Rule STEP_3[] = {
    RULE("icate", "ic"), RULE("ative", ""),   RULE("alize", "al"), RULE("iciti", "ic"),
    RULE("ical", "ic"),  RULE("ness", ""),    RULE("ful", ""), END};
static const Rule STEP_4[] = {
    RULE("ement", ""), RULE("ance", ""),  RULE("ence", ""),  RULE("able", ""),
    RULE("ible", ""),  RULE("ant", ""),   RULE("ism", ""),   RULE("ate", ""),
    RULE("iti", ""),   RULE("ous", ""),   RULE("ive", ""),   RULE("ize", ""),
    RULE("al", ""),    RULE("er", ""),    RULE("ic", ""),    RULE("ou", ""), END};

static int is_vowel(char letter) {
    return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
}

/* [^aeiou][^aeiouy]* from `at`: where it ends. */
static Py_ssize_t past_consonants(const Word *word, Py_ssize_t length, Py_ssize_t at) {
    if (at < length && !is_vowel(word->letters[at]))
        for (at++; at < length && !is_vowel(word->letters[at]) && word->letters[at] != 'y';) at++;
    return at;
}

/* [aeiouy][aeiou]* from `at`: where it ends. */
static Py_ssize_t past_vowels(const Word *word, Py_ssize_t length, Py_ssize_t at) {
    if (at < length && (is_vowel(word->letters[at]) || word->letters[at] == 'y'))
        for (at++; at < length && is_vowel(word->letters[at]);) at++;
    return at;
}

/* Porter's measure of the first `length` letters: how often vowels are followed by consonants. */
static int measure(const Word *word, Py_ssize_t length) {
    int pairs = 0;
    Py_ssize_t at = past_consonants(word, length, 0);
    while (at < length) {
        at = past_vowels(word, length, at);
        if (at < length) pairs++;
        at = past_consonants(word, length, at);
    }
    return pairs;
}

static int has_vowel(const Word *word, Py_ssize_t length) {
    return past_consonants(word, length, 0) < length;
}

/* Consonants, one vowel, and one consonant other than w, x, y. */
static int is_short_syllable(const Word *word, Py_ssize_t length) {
    Py_ssize_t vowel = past_consonants(word, length, 0);
    if (vowel == 0 || vowel + 2 != length) return 0;
    char last = word->letters[length - 1];
    return !is_vowel(last) && last != 'w' && last != 'x' && last != 'y';
}

static int has_double_consonant(const Word *word) {
    if (word->length < 2) return 0;
    char last = word->letters[word->length - 1];
    return last == word->letters[word->length - 2] && !is_vowel(last) && !strchr("ylsz", last);
}

static int has_suffix(const Word *word, const char *suffix, Py_ssize_t length) {
    const char *end = word->letters + word->length;
    return word->length >= length && end[-1] == suffix[length - 1] && memcmp(end - length, suffix, (size_t)length) == 0;
}

#define ends_with(word, suffix) has_suffix(word, suffix, (Py_ssize_t)sizeof(suffix) - 1)

static void append(Word *word, const char *letters) {
    size_t length = strlen(letters);
    memcpy(word->letters + word->length, letters, length);
    word->length += (Py_ssize_t)length;
}

/* Apply the first rule whose suffix fits, if what is left has more than `above` pairs; no second try. */
static void replace_suffix(Word *word, const Rule *rule, int above) {
    for (; rule->suffix; rule++) {
        if (!has_suffix(word, rule->suffix, rule->length)) continue;
        Py_ssize_t left = word->length - rule->length;
        if (measure(word, left) > above) {
            word->length = left;
            append(word, rule->replacement);
        }
        return;
    }
}

/* Drop -ed or -ing when a vowel remains, then mend the end. */
static void drop_inflection(Word *word, Py_ssize_t length) {
    if (!has_vowel(word, word->length - length)) return;
    word->length -= length;
    if (ends_with(word, "at") || ends_with(word, "bl") || ends_with(word, "iz"))
        append(word, "e");
    else if (has_double_consonant(word))
        word->length--;
    else if (is_short_syllable(word, word->length))
        append(word, "e");
}

/* Plurals, -ed and -ing, final y. */
static void step_1(Word *word) {
    if (ends_with(word, "sses") || ends_with(word, "ies"))
        word->length -= 2;
    else if (ends_with(word, "s") && word->letters[word->length - 2] != 's')
        word->length--;
    if (ends_with(word, "eed")) {
        if (measure(word, word->length - 3) > 0) word->length--;
    } else if (ends_with(word, "ed"))
        drop_inflection(word, 2);
    else if (ends_with(word, "ing"))
        drop_inflection(word, 3);
    if (ends_with(word, "y") && has_vowel(word, word->length - 1)) word->letters[word->length - 1] = 'i';
}

/* Four tests in a row, each on what the one before left: the script's modification of 02/14/2004. */
static void step_4(Word *word) {
    replace_suffix(word, STEP_4, 1);
    if (ends_with(word, "ment") && measure(word, word->length - 4) > 1) word->length -= 4;
    if (!ends_with(word, "ent") && !ends_with(word, "sion") && !ends_with(word, "tion")) return;
    if (measure(word, word->length - 3) > 1) word->length -= 3;
}

/* Final -e and -ll. */
static void step_5(Word *word) {
    if (ends_with(word, "e")) {
        int pairs = measure(word, word->length - 1);
        if (pairs > 1 || (pairs == 1 && !is_short_syllable(word, word->length - 1))) word->length--;
    }
    if (ends_with(word, "ll") && measure(word, word->length) > 1) word->length--;
}

static void stem(Word *word) {
    int starts_with_y = word->letters[0] == 'y';
    if (starts_with_y) word->letters[0] = 'Y'; /* so that no rule takes an initial y for a vowel */
    step_1(word);
    replace_suffix(word, STEP_2, 0);
    replace_suffix(word, STEP_3, 0);
    step_4(word);
    step_5(word);
    if (starts_with_y) word->letters[0] = 'y';
}

/* porter(word) -> stem of a lower-case ASCII word, without the exception list. */
static PyObject *py_porter(PyObject *self, PyObject *text) {
    char room[64];
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) {
        PyErr_SetString(PyExc_ValueError, "the stemmer takes ASCII words only");
        return NULL;
    }
    Word word = {room, PyUnicode_GET_LENGTH(text)};
    if (word.length < 3) return Py_NewRef(text);
    if (word.length > (Py_ssize_t)sizeof room) word.letters = PyMem_Malloc((size_t)word.length);
    if (!word.letters) return PyErr_NoMemory();
    memcpy(word.letters, PyUnicode_1BYTE_DATA(text), (size_t)word.length);
    stem(&word);
    PyObject *result = PyUnicode_FromStringAndSize(word.letters, word.length);
    if (word.letters != room) PyMem_Free(word.letters);
    return result;
}

/* draw(counts float64 (resamples, items), items, first): row i += how often srand(first + i) and `items` calls of
 * Perl's rand draw each item. */
static PyObject *py_draw(PyObject *self, PyObject *args) {
    Py_buffer view;
    Py_ssize_t items;
    unsigned long long first;
    if (!PyArg_ParseTuple(args, "w*nK", &view, &items, &first)) return NULL;
    Py_ssize_t cells = view.len / (Py_ssize_t)sizeof(double), rows = items > 0 ? cells / items : 0;
    if (rows * items != cells) {
        PyBuffer_Release(&view);
        PyErr_SetString(PyExc_ValueError, "draw needs whole rows of float64");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    double scale = (double)items / 281474976710656.0; /* exact: Perl's rand() * items has the same rounding */
    for (Py_ssize_t row = 0; row < rows; row++) {
        double *counts = (double *)view.buf + row * items;
        uint64_t state = ((first + (uint64_t)row) << 16) + 0x330E;
        for (Py_ssize_t drawn = 0; drawn < items; drawn++) {
            state = (state * 0x5DEECE66DULL + 0xB) & 0xFFFFFFFFFFFFULL;
            counts[(int64_t)((double)(int64_t)state * scale)] += 1.0;
        }
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"porter", py_porter, METH_O, "Stem of a lower-case ASCII word by the script's rules."},
                                {"draw", py_draw, METH_VARARGS, "Counts of the items each resample draws."},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_speedups", "Compiled inner loops of ROUGE.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__speedups(void) {
    return PyModule_Create(&module);
}
