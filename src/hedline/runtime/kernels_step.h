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
    Score score;
} Steps;

/* The rows of a step: which of them are new, and what every place of the pool left behind. */
typedef struct {
    const int64_t *last, *owners; /* (rows) */
    const int32_t *before;        /* (rows, t - 1) or NULL */
    const int32_t *known;         /* (rows): the place of a row that went through the layers before, or -1; or NULL */
    int32_t *history;             /* (rows, t) */
    float *hidden, *seen;         /* (capacity, width), (capacity, mean_stride): the decoder's output and its attention */
    float *mean;                  /* (rows, mean_stride) or NULL: the rows' attention */
    Py_ssize_t rows, t, used, capacity, fresh;
} Tree;

/* history (rows, t) = before (rows, t - 1), and then each row's place in the pool; an error is set for a wrong one. */
static void lengthen(Tree *tree) {
    Py_ssize_t t = tree->t;
    tree->fresh = 0;
    for (Py_ssize_t r = 0; !FAILED && r < tree->rows; r++) {
        int32_t place = tree->known ? tree->known[r] : -1;
        if (place >= tree->used) PyErr_SetString(PyExc_IndexError, "a known piece outside the pool");
        if (tree->before) memcpy(tree->history + r * t, tree->before + r * (t - 1), (size_t)(t - 1) * 4);
        tree->history[r * t + t - 1] = place >= 0 ? place : (int32_t)(tree->used + tree->fresh++);
    }
}

/* The new rows' pieces, owners and histories one after the other; y: their vectors. */
static void gather_fresh(const Tree *tree, const Embedding *e, int64_t *owners, int32_t *history, float *y) {
    Py_ssize_t n = 0, t = tree->t;
    for (Py_ssize_t r = 0; r < tree->rows; r++) {
        if (tree->known && tree->known[r] >= 0) continue;
        owners[n] = tree->owners[r];
        memcpy(history + n * t, tree->history + r * t, (size_t)t * 4);
        embed_row(e, tree->last[r], t - 1, y + n++ * e->k);
    }
}

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

/* The new rows through every layer, then the scores of all; runs with nothing of Python. 0 when memory is short. */
static int step_run(Steps *s, const Tree *tree, Py_ssize_t inputs) {
    Decode *first = &s->layers[0];
    Py_ssize_t width = s->embedding.k, stride = first->mean_stride, longest = 0;
    float *y = first->y;
    for (Py_ssize_t i = 0; i < inputs; i++) longest = larger(longest, (Py_ssize_t)first->length[i]);
    for (Py_ssize_t i = 0; tree->fresh && i < s->count; i++) {
        Decode *t = &s->layers[i];
        t->longest = longest;
        run_parallel(decode_part, t, (double)t->rows * (double)width * (double)width,
                     (int)(t->rows < MAX_THREADS ? t->rows : MAX_THREADS));
        if (t->failed) return 0;
    }
    float *made = tree->hidden + tree->used * width;
    for (Py_ssize_t r = 0; r < tree->fresh; r++) layer_norm(y + r * width, s->norm, s->norm + width, made + r * width, width);
    for (Py_ssize_t r = 0; tree->known && r < tree->rows; r++) {
        Py_ssize_t place = tree->history[r * tree->t + tree->t - 1];
        memcpy(y + r * width, tree->hidden + place * width, (size_t)width * 4);
        memcpy(tree->mean + r * stride, tree->seen + place * stride, (size_t)stride * 4);
    }
    s->score.hidden = tree->known ? y : made;
    run_parallel(score_part, &s->score, (double)tree->rows * (double)s->score.stride * (double)width,
                 (int)(tree->rows < MAX_THREADS ? tree->rows : MAX_THREADS));
    return !s->score.failed;
}

/* step(blocks tuple, pools tuple of (capacity, stride), memories tuple of (room, 2 width), candidates,
 *      table int8 (vocabulary, width), scale (vocabulary), positions (most, width), norm (2, width), last int64 (rows),
 *      before int32 (rows, t - 1), known int32 (rows)|None, history int32 (rows, t) out, length, at int64 (inputs),
 *      owners int64 (rows), hidden (capacity, width), seen (capacity, mean_stride), mean (rows, mean_stride)|None out,
 *      out (rows, out_stride), factor, rows, t, used, capacity, stride, room, inputs, mean_stride, out_stride,
 *      vocabulary, most, width) -> how many rows are new
 * `last` goes through every layer, unless the row is known, and `out` has the log-probabilities. */
static PyObject *py_step(PyObject *self, PyObject *args) {
    PyObject *tuples[3], *candidates_, *table_, *scale_, *positions_, *norm_, *last_, *before_, *known_, *history_;
    PyObject *length_, *at_, *owners_, *hidden_, *seen_, *mean_, *out_;
    Py_ssize_t room, inputs;
    Steps s = {.count = 0};
    Decode t = {0};
    Tree tree = {0};
    Embedding *e = &s.embedding;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "O!O!O!OOOOOOOOOOOOOOOOfnnnnnnnnnnnn", &PyTuple_Type, &tuples[0], &PyTuple_Type, &tuples[1],
                          &PyTuple_Type, &tuples[2], &candidates_, &table_, &scale_, &positions_, &norm_, &last_, &before_,
                          &known_, &history_, &length_, &at_, &owners_, &hidden_, &seen_, &mean_, &out_, &e->factor,
                          &tree.rows, &tree.t, &tree.used, &tree.capacity, &t.stride, &room, &inputs, &t.mean_stride,
                          &s.score.stride, &e->rows, &e->most, &e->k))
        return NULL;
    const Candidates *c = s.score.candidates = take_object(candidates_, CANDIDATES, 0);
    e->table = take(&buffers, table_, area(e->rows, e->k), 1, 0, 0);
    e->scale = take(&buffers, scale_, e->rows, 4, 0, 0);
    e->positions = take(&buffers, positions_, area(e->most, e->k), 4, 0, 0);
    s.norm = take(&buffers, norm_, area(2, e->k), 4, 0, 0);
    tree.last = take(&buffers, last_, tree.rows, 8, 0, 0);
    tree.before = tree.t > 1 ? take(&buffers, before_, area(tree.rows, tree.t - 1), 4, 0, 0) : NULL;
    tree.known = take(&buffers, known_, tree.rows, 4, 0, 1);
    tree.history = take(&buffers, history_, area(tree.rows, tree.t), 4, 1, 0);
    t.length = take(&buffers, length_, inputs, 8, 0, 0);
    t.at = take(&buffers, at_, inputs, 8, 0, 0);
    tree.owners = s.score.owners = take(&buffers, owners_, tree.rows, 8, 0, 0);
    tree.hidden = take(&buffers, hidden_, area(tree.capacity, e->k), 4, 1, 0);
    tree.seen = take(&buffers, seen_, area(tree.capacity, t.mean_stride), 4, 1, 0);
    tree.mean = take(&buffers, mean_, area(tree.rows, t.mean_stride), 4, 1, tree.known == NULL);
    s.score.out = take(&buffers, out_, area(tree.rows, s.score.stride), 4, 1, 0);
    s.score.rows = tree.rows;
    if (!FAILED) check_scored(&s.score);
    if (!FAILED) check_pieces(e, tree.last, tree.rows);
    if (!FAILED && (tree.used < 0 || tree.used > tree.capacity || tree.used > INT32_MAX - tree.rows || tree.t > e->most ||
                    c->k != e->k))
        PyErr_SetString(PyExc_IndexError, "a step outside its tables");
    if (!FAILED) lengthen(&tree);
    if (!FAILED && tree.fresh > tree.capacity - tree.used) PyErr_SetString(PyExc_IndexError, "the pool is full");
    Py_ssize_t floats = FAILED ? 0 : area(tree.rows, e->k), numbers = FAILED ? 0 : area(tree.rows, tree.t);
    t.y = FAILED ? NULL : borrow(OF_CALL, floats * 4 + 8 + tree.rows * 8 + numbers * 4);
    if (t.y) {
        int64_t *owners = (int64_t *)(t.y + round_up(floats, 2));
        t.owners = owners, t.history = (int32_t *)(owners + tree.rows);
        t.mean = tree.seen + tree.used * t.mean_stride;
        t.rows = tree.fresh, t.t = tree.t, t.used = tree.used;
        memset(t.mean, 0, (size_t)(tree.fresh * t.mean_stride) * 4);
        gather_fresh(&tree, e, owners, (int32_t *)(owners + tree.rows), t.y);
        take_layers(&s, &buffers, &t, tuples, tree.capacity, room);
        if (!FAILED) check_decode(&t, inputs, room);
    }
    int fine = 0;
    if (t.y && !FAILED) {
        Py_BEGIN_ALLOW_THREADS
        fine = step_run(&s, &tree, inputs);
        Py_END_ALLOW_THREADS
    }
    if (t.y) give_back(OF_CALL);
    if (!FAILED && !fine) PyErr_NoMemory();
    Py_XDECREF(finish_call(&buffers));
    return FAILED ? NULL : PyLong_FromSsize_t(tree.fresh);
}

#endif
