/* One step of a beam search: what every extension is worth, and the best ones of each input. Included by kernels.c. */
#ifndef HEDLINE_SEARCH_H
#define HEDLINE_SEARCH_H
#include "kernels_buffers.h"
#include "kernels_float.h"

#define WIDEST_BEAM 64

/* out = barred + weight · log_probs, plus `closing` where a piece starts a word; -inf stays -inf. */
INLINE void worth_body(const float *log_probs, const float *barred, const uint8_t *starts, float weight, float closing,
                       float *out, Py_ssize_t n) {
    for (Py_ssize_t j = 0; j < n; j++) {
        float value = log_probs[j] == -INFINITY ? -INFINITY : barred[j] + weight * log_probs[j];
        out[j] = starts[j] ? value + closing : value;
    }
}

/* The best extensions of one input so far, best first. */
typedef struct {
    float scores[WIDEST_BEAM];
    int64_t rows[WIDEST_BEAM], columns[WIDEST_BEAM];
    Py_ssize_t width, count, seen; /* seen: extensions that are not forbidden, counted up to width + 1 */
} Best;

static void best_insert(Best *b, float score, int64_t row, int64_t column) {
    if (b->count == b->width && !(score > b->scores[b->count - 1])) return;
    Py_ssize_t place = b->count < b->width ? b->count++ : b->count - 1;
    for (; place > 0 && score > b->scores[place - 1]; place--) {
        b->scores[place] = b->scores[place - 1];
        b->rows[place] = b->rows[place - 1];
        b->columns[place] = b->columns[place - 1];
    }
    b->scores[place] = score;
    b->rows[place] = row;
    b->columns[place] = column;
}

/* The first place from `from` on where totals + score is above `least`; n where there is none. */
static Py_ssize_t next_above_plain(const float *totals, Py_ssize_t from, Py_ssize_t n, float score, float least) {
    while (from < n && !(totals[from] + score > least)) from++;
    return from;
}

#if X86
AVX512 static Py_ssize_t next_above_avx512(const float *totals, Py_ssize_t from, Py_ssize_t n, float score, float least) {
    const __m512 add = _mm512_set1_ps(score), bound = _mm512_set1_ps(least);
    for (; from + LANES <= n; from += LANES) {
        __mmask16 above = _mm512_cmp_ps_mask(_mm512_add_ps(_mm512_loadu_ps(totals + from), add), bound, _CMP_GT_OQ);
        if (above) return from + __builtin_ctz(above);
    }
    return next_above_plain(totals, from, n, score, least);
}
#endif

static Py_ssize_t next_above(const float *totals, Py_ssize_t from, Py_ssize_t n, float score, float least) {
#if X86
    if (use_level >= VNNI) return next_above_avx512(totals, from, n, score, least);
#endif
    return next_above_plain(totals, from, n, score, least);
}

static void best_row(Best *b, const float *totals, float score, int64_t row, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        if (b->seen > b->width) i = next_above(totals, i, n, score, b->scores[b->count - 1]);
        if (i >= n || !(totals[i] > -INFINITY)) continue;
        if (b->seen <= b->width) b->seen++;
        best_insert(b, totals[i] + score, row, (int64_t)i);
    }
}

THRICE(worth, (const float *log_probs, const float *barred, const uint8_t *starts, float weight, float closing,
               float *out, Py_ssize_t n),
       (log_probs, barred, starts, weight, closing, out, n))

/* owner (rows) names a row of a table of `inputs`, ascending if asked; an error is set otherwise. */
static void check_owners(const int64_t *owner, Py_ssize_t rows, Py_ssize_t inputs, int ascending) {
    for (Py_ssize_t r = 0; !FAILED && r < rows; r++)
        if (owner[r] < 0 || owner[r] >= inputs || (ascending && r && owner[r] < owner[r - 1]))
            PyErr_SetString(PyExc_IndexError, "a hypothesis of no input");
}

/* worth(log_probs (rows, n), barred (inputs, n), starts uint8 (inputs or 1, n), end int64 (inputs), owner int64 (rows),
 *       opening (rows), closing (rows), weight, out (rows, n), ends (2, rows), rows, n, inputs, starts_inputs)
 * opening: what a piece that starts a word gains; closing: what ending gains, -inf where a text may not end. ends: what
 * ending is worth, and its log-probability. */
static PyObject *py_worth(PyObject *self, PyObject *args) {
    PyObject *log_probs_, *barred_, *starts_, *end_, *owner_, *opening_, *closing_, *out_, *ends_;
    Py_ssize_t rows, n, inputs, shared;
    float weight;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOOfOOnnnn", &log_probs_, &barred_, &starts_, &end_, &owner_, &opening_, &closing_,
                          &weight, &out_, &ends_, &rows, &n, &inputs, &shared))
        return NULL;
    const float *log_probs = take(&buffers, log_probs_, area(rows, n), 4, 0, 0);
    const float *barred = take(&buffers, barred_, area(inputs, n), 4, 0, 0);
    const uint8_t *starts = take(&buffers, starts_, area(shared, n), 1, 0, 0);
    const int64_t *end = take(&buffers, end_, inputs, 8, 0, 0), *owner = take(&buffers, owner_, rows, 8, 0, 0);
    const float *opening = take(&buffers, opening_, rows, 4, 0, 0), *closing = take(&buffers, closing_, rows, 4, 0, 0);
    float *out = take(&buffers, out_, area(rows, n), 4, 1, 0), *ends = take(&buffers, ends_, area(2, rows), 4, 1, 0);
    if (!FAILED && shared != 1 && shared != inputs) PyErr_SetString(PyExc_ValueError, "starts of other inputs");
    if (!FAILED) check_owners(owner, rows, inputs, 0);
    if (!FAILED) check_owners(end, inputs, n, 0);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows; r++) {
            worth(log_probs + r * n, barred + owner[r] * n, starts + (shared == 1 ? 0 : owner[r]) * n, weight,
                  opening[r], out + r * n, n);
            float last = ends[rows + r] = log_probs[r * n + end[owner[r]]];
            ends[r] = closing[r] > -INFINITY ? weight * last + closing[r] : -INFINITY;
        }
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* best(totals (rows, n), owner int64 (rows) ascending, score (rows), pruned uint8 (inputs), out_rows int64,
 *      out_columns int64, out_scores f32 (each inputs * width), rows, n, inputs, width) -> how many were found */
static PyObject *py_best(PyObject *self, PyObject *args) {
    PyObject *totals_, *owner_, *score_, *pruned_, *out_rows_, *out_columns_, *out_scores_;
    Py_ssize_t rows, n, inputs, width, found = 0;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOOnnnn", &totals_, &owner_, &score_, &pruned_, &out_rows_, &out_columns_,
                          &out_scores_, &rows, &n, &inputs, &width))
        return NULL;
    if (width < 1 || width > WIDEST_BEAM) return PyErr_Format(PyExc_ValueError, "a beam of %zd", width);
    const float *totals = take(&buffers, totals_, area(rows, n), 4, 0, 0);
    const int64_t *owner = take(&buffers, owner_, rows, 8, 0, 0);
    const float *score = take(&buffers, score_, rows, 4, 0, 0);
    uint8_t *pruned = take(&buffers, pruned_, inputs, 1, 1, 0);
    int64_t *out_rows = take(&buffers, out_rows_, area(inputs, width), 8, 1, 0);
    int64_t *out_columns = take(&buffers, out_columns_, area(inputs, width), 8, 1, 0);
    float *out_scores = take(&buffers, out_scores_, area(inputs, width), 4, 1, 0);
    if (!FAILED) check_owners(owner, rows, inputs, 1);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t row = 0, next; row < rows; row = next) {
            Best b = {.width = width};
            for (next = row; next < rows && owner[next] == owner[row]; next++)
                best_row(&b, totals + next * n, score[next], (int64_t)next, n);
            memcpy(out_rows + found, b.rows, (size_t)b.count * 8);
            memcpy(out_columns + found, b.columns, (size_t)b.count * 8);
            memcpy(out_scores + found, b.scores, (size_t)b.count * 4);
            found += b.count;
            if (b.seen > width) pruned[owner[row]] = 1;
        }
        Py_END_ALLOW_THREADS
    }
    Py_XDECREF(finish_call(&buffers));
    return FAILED ? NULL : PyLong_FromSsize_t(found);
}

/* Fields of a hypothesis' details, in the order of decoding/piece_lexicon.py. */
enum { D_WORD, D_KEYS, D_PLACE, D_TAIL, D_PENDING, D_CLOSING, D_FIELDS };
#define P_STARTS 1 /* the piece begins a word; every other kind is Python's to follow */

/* What hypotheses of usual pieces are made from. */
typedef struct {
    PyTypeObject *type;                      /* of details: a tuple with names */
    PyObject *bodies, *known, *place, *free; /* pieces without their space; whole words' keys; what is always the same */
    const uint8_t *kinds;
} Following;

static PyObject *detail_of(const Following *f, PyObject *word, PyObject *keys, PyObject *old) {
    PyObject *made = f->type->tp_alloc(f->type, D_FIELDS);
    if (!made) return NULL;
    PyObject *fields[D_FIELDS] = {word, keys, f->place, PyTuple_GET_ITEM(old, D_TAIL), PyTuple_GET_ITEM(old, D_PENDING),
                                  f->free};
    for (int i = 0; i < D_FIELDS; i++) PyTuple_SET_ITEM(made, i, Py_NewRef(fields[i]));
    return made;
}

/* keys and one more. */
static PyObject *with_key(PyObject *keys, PyObject *key) {
    Py_ssize_t count = PyTuple_GET_SIZE(keys);
    PyObject *longer = PyTuple_New(count + 1);
    for (Py_ssize_t i = 0; longer && i < count; i++) PyTuple_SET_ITEM(longer, i, Py_NewRef(PyTuple_GET_ITEM(keys, i)));
    if (longer) PyTuple_SET_ITEM(longer, count, Py_NewRef(key));
    return longer;
}

/* The details after piece `id`; None where Python must look closer: at numbers, at unfinished characters, at words
 * that it has not seen or that were used before. NULL with an error set. */
static PyObject *follow_one(const Following *f, PyObject *old, int64_t id) {
    PyObject *word = PyTuple_GET_ITEM(old, D_WORD), *keys = PyTuple_GET_ITEM(old, D_KEYS), *body, *key, *made = NULL;
    int starts = f->kinds[id] == P_STARTS;
    if ((f->kinds[id] && !starts) || PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(old, D_TAIL)) ||
        PyBytes_GET_SIZE(PyTuple_GET_ITEM(old, D_PENDING)))
        Py_RETURN_NONE;
    body = PyList_GET_ITEM(f->bodies, id);
    Py_INCREF(keys);
    Py_INCREF(word);
    if (starts && PyBytes_GET_SIZE(word)) {
        key = PyDict_GetItemWithError(f->known, word);
        Py_SETREF(keys, key ? with_key(keys, key) : NULL);
    }
    if (starts) Py_SETREF(word, Py_NewRef(body));
    else PyBytes_Concat(&word, body);
    key = keys && word && !FAILED ? PyDict_GetItemWithError(f->known, word) : NULL;
    int used = key ? PySequence_Contains(keys, key) : 1;
    if (!used) made = detail_of(f, word, keys, old);
    Py_XDECREF(keys);
    Py_XDECREF(word);
    return FAILED ? NULL : made ? made : Py_NewRef(Py_None);
}

/* follow(type, details tuple, rows int64 (n), ids int64 (n), kinds bytes, bodies list of bytes, known dict, place, free, n)
 * -> list of the details after the pieces `ids`, with None where Python must look closer */
static PyObject *py_follow(PyObject *self, PyObject *args) {
    PyObject *details, *rows_, *ids_, *kinds_;
    Py_ssize_t n;
    Following f;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "O!O!OOO!O!O!OOn", &PyType_Type, &f.type, &PyTuple_Type, &details, &rows_, &ids_,
                          &PyBytes_Type, &kinds_, &PyList_Type, &f.bodies, &PyDict_Type, &f.known, &f.place, &f.free, &n))
        return NULL;
    const int64_t *rows = take(&buffers, rows_, n, 8, 0, 0), *ids = take(&buffers, ids_, n, 8, 0, 0);
    f.kinds = (const uint8_t *)PyBytes_AS_STRING(kinds_);
    Py_ssize_t pieces = PyBytes_GET_SIZE(kinds_);
    if (!FAILED && PyList_GET_SIZE(f.bodies) != pieces) PyErr_SetString(PyExc_ValueError, "pieces of another vocabulary");
    if (!FAILED && !PyType_IsSubtype(f.type, &PyTuple_Type)) PyErr_SetString(PyExc_TypeError, "details are tuples");
    if (!FAILED) check_owners(rows, n, PyTuple_GET_SIZE(details), 0);
    if (!FAILED) check_owners(ids, n, pieces, 0);
    PyObject *found = FAILED ? NULL : PyList_New(n);
    for (Py_ssize_t r = 0; found && r < n; r++) {
        PyObject *old = PyTuple_GET_ITEM(details, rows[r]), *made = NULL;
        if (PyTuple_Check(old) && PyTuple_GET_SIZE(old) == D_FIELDS && PyBytes_Check(PyTuple_GET_ITEM(old, D_WORD)) &&
            PyTuple_Check(PyTuple_GET_ITEM(old, D_KEYS)) && PyUnicode_Check(PyTuple_GET_ITEM(old, D_TAIL)) &&
            PyBytes_Check(PyTuple_GET_ITEM(old, D_PENDING)) && PyBytes_Check(PyList_GET_ITEM(f.bodies, ids[r])))
            made = follow_one(&f, old, ids[r]);
        else PyErr_SetString(PyExc_TypeError, "details of another kind");
        if (made) PyList_SET_ITEM(found, r, made);
        else Py_CLEAR(found);
    }
    Py_XDECREF(finish_call(&buffers));
    return found;
}

#endif
