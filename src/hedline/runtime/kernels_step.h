/* A whole step of the decoder in one call: pieces to vectors, every layer, the scores of the candidates. Included by
 * kernels.c only.
 */
#ifndef HEDLINE_STEP_H
#define HEDLINE_STEP_H
#include "kernels_objects.h"

#define MOST_BLOCKS 16

/* Rows of an int8 table, and rows of positions that are added to them. */
typedef struct {
    const int8_t *table; /* (rows, k) */
    const float *scale, *positions;
    Py_ssize_t rows, most, k;
    float factor;
} Embedding;

static void embed_row(const Embedding *e, int64_t id, int64_t place, float *out) {
    const int8_t *row = e->table + id * e->k;
    const float *position = e->positions + place * e->k;
    for (Py_ssize_t j = 0; j < e->k; j++) out[j] = (float)row[j] * e->scale[id] * e->factor + position[j];
}

static void check_pieces(const Embedding *e, const int64_t *ids, Py_ssize_t n) {
    for (Py_ssize_t i = 0; !FAILED && i < n; i++)
        if (ids[i] < 0 || ids[i] >= e->rows) PyErr_SetString(PyExc_IndexError, "a piece outside the table");
}

/* embed(table int8 (rows, k), scale (rows), positions f32 (most, k), ids int64 (n), places int64 (n), factor,
 *       out (n, k), rows, most, n, k): out = table[ids] * scale[ids] * factor + positions[places] */
static PyObject *py_embed(PyObject *self, PyObject *args) {
    PyObject *table_, *scale_, *positions_, *ids_, *places_, *out_;
    Py_ssize_t n;
    Embedding e;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOfOnnnn", &table_, &scale_, &positions_, &ids_, &places_, &e.factor, &out_, &e.rows,
                          &e.most, &n, &e.k))
        return NULL;
    e.table = take(&buffers, table_, area(e.rows, e.k), 1, 0, 0);
    e.scale = take(&buffers, scale_, e.rows, 4, 0, 0);
    e.positions = take(&buffers, positions_, area(e.most, e.k), 4, 0, 0);
    const int64_t *ids = take(&buffers, ids_, n, 8, 0, 0), *places = take(&buffers, places_, n, 8, 0, 0);
    float *out = take(&buffers, out_, area(n, e.k), 4, 1, 0);
    if (!FAILED) check_pieces(&e, ids, n);
    for (Py_ssize_t i = 0; !FAILED && i < n; i++)
        if (places[i] < 0 || places[i] >= e.most) PyErr_SetString(PyExc_IndexError, "a place outside the table");
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < n; i++) embed_row(&e, ids[i], places[i], out + i * e.k);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* The decoder's layers share everything but their weights, their pool and what they remember of the inputs. */
typedef struct {
    Decode layers[MOST_BLOCKS];
    Py_ssize_t count;
    Embedding embedding;
    const float *norm; /* weights (width), then biases (width) */
    const int64_t *last;
    Score score;
} Steps;

/* Every layer's own part from the tuples of blocks, pools and memories; an error is set where they do not fit. */
static void take_layers(Steps *s, Buffers *buffers, const Decode *common, PyObject *const tuples[3], Py_ssize_t capacity,
                        Py_ssize_t room) {
    s->count = PyTuple_GET_SIZE(tuples[0]);
    int fits = s->count > 0 && s->count <= MOST_BLOCKS;
    for (int i = 1; i < 3; i++) fits = fits && PyTuple_GET_SIZE(tuples[i]) == s->count;
    if (!fits && !FAILED) PyErr_Format(PyExc_ValueError, "a decoder of %zd layers", s->count);
    for (Py_ssize_t i = 0; !FAILED && i < s->count; i++) {
        Decode *t = &s->layers[i];
        *t = *common;
        t->block = take_object(PyTuple_GET_ITEM(tuples[0], i), BLOCK_NAME, 0);
        if (t->block && (!t->block->decoder || t->block->width != s->embedding.k || t->stride < 2 * t->block->width))
            PyErr_SetString(PyExc_ValueError, "a block of another decoder");
        t->pool = take(buffers, PyTuple_GET_ITEM(tuples[1], i), area(capacity, t->stride), 4, 1, 0);
        t->memory = take(buffers, PyTuple_GET_ITEM(tuples[2], i), area(room, 2 * s->embedding.k), 4, 0, 0);
        if (i + 1 < s->count) t->mean = NULL; /* the last layer's attention is the one that is shown */
    }
}

/* history (rows, t) = before (rows, t - 1), and then each row's new place in the pool */
static void lengthen(const int32_t *before, int32_t *history, Py_ssize_t rows, Py_ssize_t t, Py_ssize_t used) {
    for (Py_ssize_t r = 0; r < rows; r++) {
        if (before) memcpy(history + r * t, before + r * (t - 1), (size_t)(t - 1) * 4);
        history[r * t + t - 1] = (int32_t)(used + r);
    }
}

/* Runs with nothing of Python; 0 when memory is short. */
static int step_run(Steps *s, float *y, Py_ssize_t inputs) {
    Decode *first = &s->layers[0];
    Py_ssize_t rows = first->rows, width = s->embedding.k, longest = 0;
    int most = (int)(rows < MAX_THREADS ? rows : MAX_THREADS);
    for (Py_ssize_t r = 0; r < rows; r++) embed_row(&s->embedding, s->last[r], first->t - 1, y + r * width);
    for (Py_ssize_t i = 0; i < inputs; i++) longest = larger(longest, (Py_ssize_t)first->length[i]);
    for (Py_ssize_t i = 0; i < s->count; i++) {
        Decode *t = &s->layers[i];
        t->y = y, t->longest = longest;
        run_parallel(decode_part, t, (double)rows * (double)width * (double)width, most);
        if (t->failed) return 0;
    }
    for (Py_ssize_t r = 0; r < rows; r++) layer_norm(y + r * width, s->norm, s->norm + width, y + r * width, width);
    s->score.hidden = y;
    run_parallel(score_part, &s->score, (double)rows * (double)s->score.stride * (double)width, most);
    return !s->score.failed;
}

/* step(blocks tuple, pools tuple of (capacity, stride), memories tuple of (room, 2 width), candidates,
 *      table int8 (vocabulary, width), scale (vocabulary), positions (most, width), norm (2, width), last int64 (rows),
 *      before int32 (rows, t - 1), history int32 (rows, t) out, length, at int64 (inputs), owners int64 (rows),
 *      mean (rows, mean_stride) zeros, out (rows, out_stride), factor, rows, t, used, capacity, stride, room, inputs,
 *      mean_stride, out_stride, vocabulary, most, width): `last` goes through every layer, `out` has log-probabilities */
static PyObject *py_step(PyObject *self, PyObject *args) {
    PyObject *tuples[3], *candidates_, *table_, *scale_, *positions_, *norm_, *last_, *before_, *history_, *length_, *at_;
    PyObject *owners_, *mean_, *out_;
    Py_ssize_t capacity, room, inputs;
    Steps s = {.count = 0};
    Decode t = {0};
    Embedding *e = &s.embedding;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "O!O!O!OOOOOOOOOOOOOfnnnnnnnnnnnn", &PyTuple_Type, &tuples[0], &PyTuple_Type, &tuples[1],
                          &PyTuple_Type, &tuples[2], &candidates_, &table_, &scale_, &positions_, &norm_, &last_, &before_,
                          &history_, &length_, &at_, &owners_, &mean_, &out_, &e->factor, &t.rows, &t.t, &t.used, &capacity,
                          &t.stride, &room, &inputs, &t.mean_stride, &s.score.stride, &e->rows, &e->most, &e->k))
        return NULL;
    const Candidates *c = s.score.candidates = take_object(candidates_, CANDIDATES, 0);
    e->table = take(&buffers, table_, area(e->rows, e->k), 1, 0, 0);
    e->scale = take(&buffers, scale_, e->rows, 4, 0, 0);
    e->positions = take(&buffers, positions_, area(e->most, e->k), 4, 0, 0);
    s.norm = take(&buffers, norm_, area(2, e->k), 4, 0, 0);
    s.last = take(&buffers, last_, t.rows, 8, 0, 0);
    const int32_t *before = t.t > 1 ? take(&buffers, before_, area(t.rows, t.t - 1), 4, 0, 0) : NULL;
    int32_t *history = take(&buffers, history_, area(t.rows, t.t), 4, 1, 0);
    t.history = history;
    t.length = take(&buffers, length_, inputs, 8, 0, 0);
    t.at = take(&buffers, at_, inputs, 8, 0, 0);
    t.owners = take(&buffers, owners_, t.rows, 8, 0, 0);
    t.mean = take(&buffers, mean_, area(t.rows, t.mean_stride), 4, 1, 0);
    s.score.out = take(&buffers, out_, area(t.rows, s.score.stride), 4, 1, 0);
    s.score.owners = t.owners, s.score.rows = t.rows;
    if (!FAILED && (t.used < 0 || t.rows > capacity || t.used > capacity - t.rows || t.used > INT32_MAX - t.rows))
        PyErr_SetString(PyExc_IndexError, "the pool is full");
    if (!FAILED && (t.t > e->most || c->k != e->k)) PyErr_SetString(PyExc_IndexError, "a step outside its tables");
    if (!FAILED) take_layers(&s, &buffers, &t, tuples, capacity, room);
    if (!FAILED) check_pieces(e, s.last, t.rows);
    if (!FAILED) lengthen(before, history, t.rows, t.t, t.used);
    if (!FAILED) check_decode(&t, inputs, room);
    if (!FAILED) check_scored(&s.score);
    float *y = FAILED ? NULL : borrow(OF_CALL, t.rows * e->k * 4);
    int fine = 0;
    if (y) {
        Py_BEGIN_ALLOW_THREADS
        fine = step_run(&s, y, inputs);
        give_back(OF_CALL);
        Py_END_ALLOW_THREADS
    }
    if (!FAILED && !fine) PyErr_NoMemory();
    return finish_call(&buffers);
}

#endif
